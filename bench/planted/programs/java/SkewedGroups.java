import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Spinning: a query that groups rows by a key, and makes a histogram of their samples for each of
 * 2048 groups.
 *
 * <p>The dial is the share of the rows that have the most frequent key; all others spread over all groups. A row takes
 * its group by compare-and-set for about 3 us, and who finds it taken tries until it is free; nobody sleeps. With equal
 * groups, two rows hardly ever meet. A histogram has only 8 lines of a cache.
 */
final class SkewedGroups {
    private static final int GROUPS = 2048;
    private static final int SAMPLES = 500;
    private static final int BINS = 64;

    private static final class Group {
        final AtomicBoolean taken = new AtomicBoolean();
        final long[] histogram = new long[BINS];

        void add(int row) {
            while (!taken.compareAndSet(false, true)) {
                Thread.onSpinWait();
            }
            int sample = row;
            for (int i = 0; i < SAMPLES; i++) {
                sample = sample * 1664525 + 1013904223;
                histogram[sample >>> 26] += sample & 0xFF;
                histogram[sample >>> 8 & 63] += sample % 7;
            }
            taken.set(false);
        }

        long sum() {
            long sum = 0;
            for (int bin = 0; bin < BINS; bin++) {
                sum += histogram[bin] * (bin * 2 + 1);
            }
            return sum;
        }
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Group[] groups = new Group[GROUPS];
        for (int group = 0; group < GROUPS; group++) {
            groups[group] = new Group();
        }
        AtomicInteger busy = new AtomicInteger(Work.threads);
        Work.printSum(
                thread -> {
                    for (int row = Work.first(thread); row < Work.first(thread + 1); row++) {
                        int key = (int) (row * 0x9E3779B97F4A7C15L >>> 53);
                        groups[Work.picked(row) ? 0 : key].add(row);
                    }
                    long sum = 0;
                    if (busy.decrementAndGet() == 0) {
                        for (Group group : groups) {
                            sum += group.sum();
                        }
                    }
                    return sum;
                });
    }
}
