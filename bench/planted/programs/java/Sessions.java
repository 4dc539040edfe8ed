import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Garbage collection: reads log lines, and keeps the last visits of every reader in a window.
 *
 * <p>The dial is the share of the lines that become a new visit with its steps; the others go into a visit that is
 * there already. New visits stay in the window for long, so the serial collector (a flag of the command, with a small
 * heap) must copy many of them each time the young generation is full, in one thread, while all others stand still.
 */
final class Sessions {
    private static final int STEPS = 12;
    private static final int WINDOW = 40_000;
    private static final int LINES = 500;

    private static final class Step {
        final int page;
        final long at;
        final Step before;

        Step(int page, long at, Step before) {
            this.page = page;
            this.at = at;
            this.before = before;
        }
    }

    private static final class Visit {
        int line;
        Step last;
    }

    private static final class Reader implements Runnable {
        private final AtomicInteger blocks;
        private final CountDownLatch done;
        private final Visit[] window = new Visit[WINDOW / Work.threads];
        private final int[] pages = new int[STEPS];
        private int at;
        long sum;

        Reader(AtomicInteger blocks, CountDownLatch done) {
            this.blocks = blocks;
            this.done = done;
        }

        @Override
        public void run() {
            int block;
            while ((block = blocks.getAndIncrement()) < Work.work / LINES) {
                for (int line = block * LINES; line < (block + 1) * LINES; line++) {
                    read(line);
                }
            }
            done.countDown();
        }

        private void read(int line) {
            long random = line * 0x9E3779B97F4A7C15L + 3;
            for (int i = 0; i < STEPS; i++) {
                long hash = random;
                for (int k = 0; k < 20; k++) {
                    hash = (hash ^ hash >>> 29) * 0x100000001B3L;
                }
                pages[i] = (int) (hash >>> 40);
                random = random * 6364136223846793005L + 1442695040888963407L;
            }
            if (Work.picked(line)) {
                Visit visit = new Visit();
                visit.line = line;
                for (int i = 0; i < STEPS; i++) {
                    visit.last = new Step(pages[i], line + i, visit.last);
                }
                sum += length(visit.last);
                window[at] = visit;
                at = (at + 1) % window.length;
            } else {
                for (int page : pages) {
                    sum += page;
                }
            }
        }

        private static long length(Step step) {
            long sum = 0;
            for (; step != null; step = step.before) {
                sum += step.page;
            }
            return sum;
        }
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        AtomicInteger blocks = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(Work.threads);
        Reader[] readers = new Reader[Work.threads];
        for (int t = 0; t < Work.threads; t++) {
            readers[t] = new Reader(blocks, done);
            new Thread(readers[t]).start();
        }
        done.await();
        long sum = 0;
        for (Reader reader : readers) {
            sum += reader.sum;
        }
        System.out.println(Long.toHexString(sum));
    }
}
