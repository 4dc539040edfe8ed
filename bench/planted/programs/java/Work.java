/**
 * What the Java programs have in common: arguments, work that no compiler removes, and threads.
 *
 * <p>Work comes in units. The result of a unit depends on its number alone, and the answer is the sum of all results:
 * the same for every number of threads and every dial.
 */
final class Work {
    interface Body {
        long sum(int thread);
    }

    static int threads;
    static double dial;
    static int work;

    private Work() {}

    static void arguments(String[] words) {
        threads = Integer.parseInt(words[0]);
        dial = Double.parseDouble(words[1]);
        work = Integer.parseInt(words[2]);
    }

    /** A chain of dependent arithmetic, about 1.3 ns a step. */
    static long unit(int number, int steps) {
        long x = number * 0x9E3779B97F4A7C15L + 1;
        for (int i = 0; i < steps; i++) {
            x = x * 6364136223846793005L + (x >>> 33 | 1);
        }
        return x;
    }

    /** Whether the dial applies to this unit: a fixed random choice of the share {@code dial} of all units. */
    static boolean picked(int number) {
        long x = (number + 1) * 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return (x >>> 11) * 0x1p-53 < dial;
    }

    /** The first unit of a thread, with equal parts for all. */
    static int first(int thread) {
        return (int) ((long) work * thread / threads);
    }

    /** Runs the body in every thread, and prints the sum of what they return. */
    static void printSum(Body body) throws InterruptedException {
        Thread[] all = new Thread[threads];
        long[] sums = new long[threads];
        for (int t = 0; t < threads; t++) {
            int thread = t;
            all[t] = new Thread(() -> sums[thread] = body.sum(thread));
            all[t].start();
        }
        long sum = 0;
        for (int t = 0; t < threads; t++) {
            all[t].join();
            sum += sums[t];
        }
        System.out.printf("%016x%n", sum);
    }
}
