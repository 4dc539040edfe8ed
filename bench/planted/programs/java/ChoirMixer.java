import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Choir mixer: filters the voices of a recording, section by section; every section is one invokeAll over as many
 * groups of voices as there are threads. The dial makes the groups unequal: the first has 1 + dial times its fair part
 * of the voices and the last 1 - dial times, so a thread has nothing to do at the end of every section. Every voice
 * costs the same, and one thread has all of them in one group.
 */
final class ChoirMixer {
    static final int VOICES = 200;
    static final int SECTIONS = 8;

    static final class Voice {
        final double pitch;
        long phase;
        double a;
        double b;
        double c;
        double d;
        long heard;

        Voice(int number) {
            pitch = 0.01 + number * 0.0003;
            phase = number * 0x9E3779B97F4A7C15L + 1;
        }

        void play(int samples) {
            double low = a;
            double band = b;
            double echo = c;
            double loud = d;
            long x = phase;
            for (int i = 0; i < samples; i++) {
                x = x * 6364136223846793005L + 1442695040888963407L;
                double breath = (x >> 40) * 0x1p-23;
                low += pitch * band;
                band += pitch * (breath - low - 0.3 * band);
                echo = 0.7 * echo + 0.3 * low;
                loud += 0.001 * (echo * echo - loud);
            }
            a = low;
            b = band;
            c = echo;
            d = loud;
            phase = x;
            heard = heard * 31 + Double.doubleToRawLongBits(loud);
        }
    }

    static final class Group implements Callable<Long> {
        final Voice[] voices;
        final int samples;
        final int from;
        final int to;

        Group(Voice[] voices, int samples, int from, int to) {
            this.voices = voices;
            this.samples = samples;
            this.from = from;
            this.to = to;
        }

        @Override
        public Long call() {
            long sum = 0;
            for (int i = from; i < to; i++) {
                voices[i].play(samples);
                sum += voices[i].heard;
            }
            return sum;
        }
    }

    /** How many voices are in the groups before this one. */
    static int before(int group, int threads, double dial) {
        double fair = group;
        if (threads > 1) {
            fair = group * (1 + dial) - dial * group * (group - 1) / (threads - 1);
        }
        return (int) (fair / threads * VOICES + 0.5);
    }

    public static void main(String[] words) throws Exception {
        int threads = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int samples = Integer.parseInt(words[2]) / SECTIONS;
        Voice[] voices = new Voice[VOICES];
        for (int i = 0; i < VOICES; i++) {
            voices[i] = new Voice(i);
        }
        ArrayList<Group> groups = new ArrayList<>();
        for (int group = 0; group < threads; group++) {
            int from = before(group, threads, dial);
            groups.add(new Group(voices, samples, from, before(group + 1, threads, dial)));
        }
        ExecutorService desk = Executors.newFixedThreadPool(threads);
        long sum = 0;
        for (int section = 0; section < SECTIONS; section++) {
            for (Future<Long> group : desk.invokeAll(groups)) {
                sum += group.get();
            }
        }
        desk.shutdown();
        System.out.println(Long.toHexString(sum));
    }
}
