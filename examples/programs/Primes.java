import java.util.stream.IntStream;

/** Primes up to N, counted by a parallel stream. Usage: java Primes N THREADS */
public class Primes {
    public static void main(String[] words) {
        int last = Integer.parseInt(words[0]), threads = Integer.parseInt(words[1]);
        // The thread that asks computes as well, so the pool has one thread fewer. It is read once, at the first use.
        System.setProperty("java.util.concurrent.ForkJoinPool.common.parallelism", String.valueOf(threads - 1));
        System.out.println(IntStream.rangeClosed(2, last).parallel().filter(Primes::isPrime).count());
    }

    private static boolean isPrime(int number) {
        for (int divisor = 2; (long) divisor * divisor <= number; divisor++) {
            if (number % divisor == 0) {
                return false;
            }
        }
        return true;
    }
}
