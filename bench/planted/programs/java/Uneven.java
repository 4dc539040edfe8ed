/**
 * Imbalance: sums units of arithmetic, the first thread more than the last.
 *
 * <p>The dial d gives the first thread 1 + d times its fair part, the last 1 - d times. No data is shared.
 */
final class Uneven {
    private static final int STEPS = 20_000;

    /** The units before a thread's. */
    private static int before(int thread) {
        double fair = thread;
        if (Work.threads > 1) {
            fair = thread * (1 + Work.dial) - Work.dial * thread * (thread - 1) / (Work.threads - 1);
        }
        return (int) Math.round(fair / Work.threads * Work.work);
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(
                thread -> {
                    long sum = 0;
                    for (int i = before(thread); i < before(thread + 1); i++) {
                        sum += Work.unit(i, STEPS);
                    }
                    return sum;
                });
    }
}
