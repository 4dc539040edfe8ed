import java.util.concurrent.atomic.AtomicLongArray;

/**
 * False sharing: counts odd results of short units in a word of each thread's own.
 *
 * <p>The dial is the share of the blocks of 500 additions that go to words beside each other, on one cache line; all
 * others go to words on lines of their own. No word is written by two threads.
 */
final class Neighbours {
    private static final int STEPS = 12;
    private static final int BLOCK = 500;
    private static final int LINE = 32;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        // The words beside each other begin at LINE; the thread t has also word (t + 9) LINE.
        AtomicLongArray counters = new AtomicLongArray((Work.threads + 10) * LINE);
        Work.printSum(
                thread -> {
                    int apart = (thread + 9) * LINE;
                    int beside = LINE + thread;
                    for (int block = Work.first(thread); block < Work.first(thread + 1); block++) {
                        int counter = Work.picked(block) ? beside : apart;
                        for (int i = block * BLOCK; i < (block + 1) * BLOCK; i++) {
                            counters.getAndAdd(counter, Work.unit(i, STEPS) >>> 40 & 1);
                        }
                    }
                    return counters.get(apart) + counters.get(beside);
                });
    }
}
