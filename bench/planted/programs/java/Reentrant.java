import java.util.concurrent.locks.ReentrantLock;

/**
 * Sleeping lock: sums units of arithmetic, some of them while holding the one ReentrantLock.
 *
 * <p>The dial is the share of the units that are computed under the lock. A unit takes about 50 us, and a thread that
 * finds the lock taken is parked.
 */
final class Reentrant {
    private static final int STEPS = 40_000;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        ReentrantLock lock = new ReentrantLock();
        Work.printSum(
                thread -> {
                    long sum = 0;
                    for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
                        if (Work.picked(i)) {
                            lock.lock();
                            try {
                                sum += Work.unit(i, STEPS);
                            } finally {
                                lock.unlock();
                            }
                        } else {
                            sum += Work.unit(i, STEPS);
                        }
                    }
                    return sum;
                });
    }
}
