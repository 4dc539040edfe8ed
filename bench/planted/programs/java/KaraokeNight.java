import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sleeping lock: scores the songs of a karaoke night, by how well the singer's pitch follows the tune.
 *
 * <p>The bars of a song are recorded, their pitch is found by autocorrelation, and compared with the tune's. The dial
 * is the share of the songs that were sung on the main stage. Its score board plays along while a song is scored: it
 * is a monitor, entered before the first bar and left after the last. Booths have no board. A song takes some 300 us,
 * so a judge that finds the stage taken falls asleep.
 */
public final class KaraokeNight {
    private static final int BARS = 10;
    private static final int SAMPLES = 320;
    private static final int SHORTEST = 20;
    private static final int LONGEST = 110;

    /** Where songs are scored: it has the room for one recording. */
    private static class Booth {
        final int[] recording = new int[SAMPLES];
        long applause;

        void record(int song, int bar) {
            int state = song * 0x9E3779B9 + bar * 40503 + 1;
            int period = SHORTEST + 5 + ((song * 13 + bar * 29) & 63);
            for (int i = 0, phase = 0; i < SAMPLES; i++) {
                state = state * 1664525 + 1013904223;
                phase = phase + 1 < period ? phase + 1 : 0;
                recording[i] = Math.abs(phase * 64 / period - 32) - 16 + (state >>> 28);
            }
        }

        int pitch() {
            int found = SHORTEST;
            long best = Long.MIN_VALUE;
            for (int lag = SHORTEST; lag < LONGEST; lag++) {
                int alike = 0;
                for (int i = 0; i < SAMPLES - LONGEST; i++) {
                    alike += recording[i] * recording[i + lag];
                }
                if (alike > best) {
                    best = alike;
                    found = lag;
                }
            }
            return found;
        }

        void score(int song) {
            long points = song;
            for (int bar = 0; bar < BARS; bar++) {
                record(song, bar);
                points = points * 31 + Math.abs(pitch() - SHORTEST - 5 - ((song * 13 + bar * 29) & 63));
            }
            applause += points;
        }
    }

    private static final class Stage extends Booth {
        private int encores;

        @Override
        synchronized void score(int song) {
            super.score(song);
            encores++;
        }
    }

    private static boolean onStage(int song, double share) {
        int draw = (song + 1) * 0x2545F491;
        draw = (draw ^ draw >>> 15) * 0x846CA68B;
        return ((draw ^ draw >>> 13) & 0xFFFF) < share * 0x10000;
    }

    public static void main(String[] words) throws InterruptedException {
        Thread[] judges = new Thread[Integer.parseInt(words[0])];
        double share = Double.parseDouble(words[1]);
        int songs = Integer.parseInt(words[2]);
        Stage stage = new Stage();
        Booth[] booths = new Booth[judges.length];
        AtomicInteger playlist = new AtomicInteger();
        for (int j = 0; j < judges.length; j++) {
            Booth booth = booths[j] = new Booth();
            judges[j] = new Thread(() -> {
                for (int song = playlist.getAndIncrement(); song < songs; song = playlist.getAndIncrement()) {
                    (onStage(song, share) ? stage : booth).score(song);
                }
            });
            judges[j].start();
        }
        for (Thread judge : judges) {
            judge.join();
        }
        long applause = stage.applause;
        for (Booth booth : booths) {
            applause += booth.applause;
        }
        System.out.printf("%016x%n", applause);
    }
}
