import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Duplicated work: unpacks the pages of column files, and answers queries from them.
 *
 * <p>The dial is the share of the pages that every thread unpacks for itself, into a cache of its own (ThreadLocal),
 * as set-up for the queries of a file. All other pages are unpacked once for all, each thread a part. So with n threads
 * the dialled pages are unpacked n times, and nobody waits for a lock. One thread unpacks each page once at any dial.
 */
final class PageCache {
    private static final int FILES = 4;
    private static final int VALUES = 256;
    private static final int ROUNDS = 260;

    private static final ThreadLocal<int[][]> OWN = ThreadLocal.withInitial(() -> new int[Work.work][VALUES]);

    /** Undoes a packing: every value hangs on the ones before it, over several rounds. */
    private static void unpack(int file, int page, int[] into) {
        int value = file * 31 + page;
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < VALUES; i++) {
                value = value * 1664525 + 1013904223 ^ value >>> 15;
                into[i] = round == 0 ? value : into[i] + (value & 0xFF);
            }
        }
    }

    private static long query(int number, int[][] pages) {
        long sum = 0;
        int at = number;
        for (int step = 0; step < 3_500; step++) {
            at = (int) ((at * 2654435761L + step >>> 7) & 0x7FFFFFFF);
            sum += pages[at % pages.length][at >>> 20 & (VALUES - 1)];
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        int[][] shared = new int[Work.work][VALUES];
        CyclicBarrier ready = new CyclicBarrier(Work.threads);
        AtomicLong total = new AtomicLong();
        Thread[] all = new Thread[Work.threads];
        for (int t = 0; t < all.length; t++) {
            int thread = t;
            all[t] = new Thread(() -> scan(thread, shared, ready, total));
            all[t].start();
        }
        for (Thread one : all) {
            one.join();
        }
        System.out.println(Long.toHexString(total.get()));
    }

    private static void scan(int thread, int[][] shared, CyclicBarrier ready, AtomicLong total) {
        try {
            for (int file = 0; file < FILES; file++) {
                int[][] pages = shared.clone();
                int rest = 0;
                for (int page = 0; page < Work.work; page++) {
                    if (Work.picked(page)) {
                        pages[page] = OWN.get()[page];
                        unpack(file, page, pages[page]);
                    } else if (rest++ % Work.threads == thread) {
                        unpack(file, page, shared[page]);
                    }
                }
                ready.await();
                long sum = 0;
                for (int q = thread; q < Work.work; q += Work.threads) {
                    sum += query(file * Work.work + q, pages);
                }
                total.addAndGet(sum);
                ready.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }
}
