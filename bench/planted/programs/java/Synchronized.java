/**
 * Sleeping lock: sums units of arithmetic, some of them in a synchronized block.
 *
 * <p>The dial is the share of the units that are computed while the one monitor is held. A unit takes about 50 us,
 * longer than a thread spins for a monitor, so it is parked when it finds the monitor taken. Nothing is allocated on
 * the way.
 */
final class Synchronized {
    private static final int STEPS = 40000;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Object lock = new Object();
        Work.printSum(
                thread -> {
                    long sum = 0;
                    for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
                        if (Work.picked(i)) {
                            synchronized (lock) {
                                sum += Work.unit(i, STEPS);
                            }
                        } else {
                            sum += Work.unit(i, STEPS);
                        }
                    }
                    return sum;
                });
    }
}
