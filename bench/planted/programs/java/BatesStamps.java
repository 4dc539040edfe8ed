import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Prepares documents for a law suit: stamps every page with a Bates number and redacts names.
 *
 * <p>Productions come one after the other. The dial is the share of a production's pages that the stamping clerk, which
 * is the main thread, goes through before the redacting threads start, because the number of those pages depends on the
 * pages before them; all other pages are numbered within their box and gone through by the threads, equally many each.
 * The clerk's pages are no more work than others. While the clerk stamps, nobody redacts: that is a serial part.
 */
public class BatesStamps {
    static final int PAGES = 240;
    static final int LETTERS = 1800;
    static final byte[][] NAMES = {"meier".getBytes(), "okafor".getBytes(), "lund".getBytes(), "silva".getBytes()};

    static class Page {
        final byte[] text = new byte[LETTERS];

        long process(long id) {
            long x = id * 0x2545F4914F6CDD1DL + 99;
            for (int i = 0; i < LETTERS; i++) {
                x ^= x << 13;
                x ^= x >>> 7;
                x ^= x << 17;
                text[i] = (byte) ('a' + ((x & 0xFF) * 26 >> 8));
            }
            if ((x & 7) < 5) {
                byte[] name = NAMES[(int) (x >>> 40 & 3)];
                System.arraycopy(name, 0, text, (int) (x >>> 33 & 1023), name.length);
            }
            for (byte[] name : NAMES) {
                for (int i = 0; i + name.length <= LETTERS; i++) {
                    int k = 0;
                    while (k < name.length && text[i + k] == name[k]) {
                        k++;
                    }
                    if (k == name.length) {
                        Arrays.fill(text, i, i + k, (byte) '#');
                    }
                }
            }
            int h = 17;
            for (byte letter : text) {
                h = 31 * h + letter;
            }
            return (h & 0xFFFFFFFFL) * (id | 1);
        }
    }

    static class Redactor extends Thread {
        final int from;
        final int to;
        final long production;
        long digest;

        Redactor(long production, int from, int to) {
            this.production = production;
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            Page page = new Page();
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += page.process(production * PAGES + i);
            }
            digest = sum;
        }
    }

    public static void main(String[] args) throws Exception {
        final int threads = Integer.parseInt(args[0]);
        final int stamped = (int) (Double.parseDouble(args[1]) * PAGES);
        final int productions = Integer.parseInt(args[2]);
        Page desk = new Page();
        long digest = 0;
        for (int p = 0; p < productions; p++) {
            final int production = p;
            for (int i = 0; i < stamped; i++) {
                digest += desk.process((long) production * PAGES + i);
            }
            int rest = PAGES - stamped;
            Redactor[] team =
                    IntStream.range(0, threads)
                            .mapToObj(t -> new Redactor(production, stamped + rest * t / threads, stamped + rest * (t + 1) / threads))
                            .toArray(Redactor[]::new);
            for (Redactor one : team) one.start();
            for (Redactor one : team) {
                one.join();
                digest += one.digest;
            }
        }
        System.out.println(String.format("%016x", digest));
    }
}
