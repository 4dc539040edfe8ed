import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Bills the lines of a traffic log: tasks that divide themselves in a work-stealing pool decode each line, look up its
 * tariff and add the price to a total.
 *
 * <p>The dial is the share of the lines that are added to the one total of all customers, an AtomicLong which all
 * threads update: true sharing. The others are added, by an atomic instruction as well, to a total of the task's own
 * which is far from all else; so one thread pays the same at every dial.
 */
final class TrafficBilling {
    private static final int LEAF = 4096;
    private static final AtomicLong EVERYONE = new AtomicLong();
    private static final long[] TARIFFS = new long[256];

    private TrafficBilling() {}

    /** Decodes a line (made from its number) and returns its price. */
    static long price(long line) {
        long x = line * 0x9E3779B97F4A7C15L + 1;
        long bytes = 0;
        for (int field = 0; field < 4; field++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            bytes += TARIFFS[(int) (x & 255)] * (x >>> 50);
        }
        return bytes;
    }

    /** Bills a range of lines, in halves until they are short. */
    private static final class Bill extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;
        private final int from;
        private final int to;
        private final long limit;

        Bill(int from, int to, long limit) {
            this.from = from;
            this.to = to;
            this.limit = limit;
        }

        @Override
        protected Long compute() {
            if (to - from > LEAF) {
                int middle = (from + to) >>> 1;
                Bill right = new Bill(middle, to, limit);
                right.fork();
                long left = new Bill(from, middle, limit).compute();
                return left + right.join();
            }
            AtomicLongArray own = new AtomicLongArray(96);
            bill(from, to, limit, own);
            return own.get(48);
        }
    }

    static void bill(int from, int to, long limit, AtomicLongArray own) {
        for (int line = from; line < to; line++) {
            long price = price(line);
            long customer = (line * 0xD6E8FEB86659FD93L) >>> 32;
            if (customer < limit) {
                EVERYONE.addAndGet(price);
            } else {
                own.addAndGet(48, price);
            }
        }
    }

    public static void main(String[] words) {
        int threads = Integer.parseInt(words[0]);
        long limit = (long) (Double.parseDouble(words[1]) * 0x1p32);
        int lines = Integer.parseInt(words[2]);
        for (int i = 0; i < TARIFFS.length; i++) {
            TARIFFS[i] = 3 + i * i % 97;
        }
        ForkJoinPool pool = new ForkJoinPool(threads);
        long own = pool.invoke(new Bill(0, lines, limit));
        pool.shutdown();
        System.out.println(Long.toHexString(own + EVERYONE.get()));
    }
}
