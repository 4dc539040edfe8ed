import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Spinning: sums short units of arithmetic, some of them under a lock that spins.
 *
 * <p>The dial is the share of the units that are computed under the lock. A unit takes about 2 us, a thread that finds
 * the lock taken tries until it is free, and nobody sleeps.
 */
final class Spinning {
    private static final int STEPS = 1500;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        AtomicBoolean taken = new AtomicBoolean();
        Work.printSum(
                thread -> {
                    long sum = 0;
                    for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
                        boolean locked = Work.picked(i);
                        while (locked && !taken.compareAndSet(false, true)) {
                            Thread.onSpinWait();
                        }
                        sum += Work.unit(i, STEPS);
                        if (locked) {
                            taken.set(false);
                        }
                    }
                    return sum;
                });
    }
}
