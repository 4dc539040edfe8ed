import java.util.concurrent.atomic.AtomicLongArray;

/**
 * True sharing: counts odd results of short units by atomic additions.
 *
 * <p>The dial is the share of the blocks of 500 additions that go to the one counter of all threads; all others go to a
 * counter of the thread's own, on its own line. Both kinds cost the same where there is only one thread.
 */
final class Counter {
    private static final int STEPS = 12;
    private static final int BLOCK = 500;
    private static final int LINE = 32;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        // Word LINE is the counter of all; the thread t has word (t + 2) LINE.
        AtomicLongArray counters = new AtomicLongArray((Work.threads + 3) * LINE);
        Work.printSum(
                thread -> {
                    int own = (thread + 2) * LINE;
                    long shared = 0;
                    for (int block = Work.first(thread); block < Work.first(thread + 1); block++) {
                        boolean together = Work.picked(block);
                        int counter = together ? LINE : own;
                        long odds = 0;
                        for (int i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
                            long odd = Work.unit(i, STEPS) >>> 40 & 1;
                            counters.getAndAdd(counter, odd);
                            odds += odd;
                        }
                        shared += together ? odds : 0;
                    }
                    return counters.get(own) + shared;
                });
    }
}
