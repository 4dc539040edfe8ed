/**
 * Matches bird calls to songs: by dynamic time warping, the distance of each recorded call to each song of a book.
 *
 * <p>Calls come with the key of the station that recorded them, and a thread has all stations whose keys are its own
 * modulo the threads. The dial is the share of the calls from the station at the marsh, whose key is 0; the others come
 * from all stations alike.
 */
final class WarblerSongs {
    private static final int STATIONS = 64;
    private static final int SONGS = 6;
    private static final int NOTES = 40;

    private static int[] station;
    private static final short[][] BOOK = new short[SONGS][];

    private WarblerSongs() {}

    private static short[] melody(long seed) {
        short[] notes = new short[NOTES];
        long x = seed * 0x9E3779B97F4A7C15L | 1;
        int pitch = 3000;
        for (int i = 0; i < NOTES; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            pitch += (int) (x & 255) - 128;
            notes[i] = (short) pitch;
        }
        return notes;
    }

    private static int distance(short[] call, short[] song, int[] above, int[] row) {
        java.util.Arrays.fill(above, Integer.MAX_VALUE / 2);
        above[0] = 0;
        for (int i = 0; i < NOTES; i++) {
            row[0] = Integer.MAX_VALUE / 2;
            for (int j = 0; j < NOTES; j++) {
                int least = Math.min(above[j], Math.min(above[j + 1], row[j]));
                row[j + 1] = least + Math.abs(call[i] - song[j]);
            }
            int[] done = above;
            above = row;
            row = done;
        }
        return above[NOTES];
    }

    private static long listen(int thread) {
        int[] above = new int[NOTES + 1];
        int[] row = new int[NOTES + 1];
        long sum = 0;
        for (int call = 0; call < station.length; call++) {
            if (station[call] % Work.threads != thread) {
                continue;
            }
            short[] heard = melody(call + 1000L);
            int best = 0;
            int least = Integer.MAX_VALUE;
            for (int song = 0; song < SONGS; song++) {
                int far = distance(heard, BOOK[song], above, row);
                if (far < least) {
                    least = far;
                    best = song;
                }
            }
            sum += (least * 8L + best) * (2L * call + 1);
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        for (int song = 0; song < SONGS; song++) {
            BOOK[song] = melody(song + 1);
        }
        station = new int[Work.work];
        for (int call = 0; call < station.length; call++) {
            station[call] = Work.picked(call) ? 0 : call % STATIONS;
        }
        Work.printSum(WarblerSongs::listen);
    }
}
