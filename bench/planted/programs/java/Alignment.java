import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Imbalance: aligns short DNA queries with a reference; each plate of queries is one round of an ExecutorService.
 *
 * <p>A round has one task a thread. The dial d gives the first task 1 + d times its fair part of the queries and the
 * last one 1 - d times, so the pool waits for the first at the end of each round. All queries cost the same, and are
 * the same at every dial.
 */
final class Alignment {
    private static final int PLATES = 4;
    private static final int QUERY = 48;
    private static final int REFERENCE = 700;

    private static final byte[] GENOME = bases(12345, REFERENCE);

    private static byte[] bases(long seed, int length) {
        byte[] all = new byte[length];
        long random = seed * 0x9E3779B97F4A7C15L + 1;
        for (int i = 0; i < length; i++) {
            random = random * 6364136223846793005L + 1442695040888963407L;
            all[i] = (byte) (random >>> 62);
        }
        return all;
    }

    /** The best local score (Smith and Waterman), one column of the matrix at a time. */
    private static int score(byte[] query) {
        int[] column = new int[query.length + 1];
        int best = 0;
        for (byte base : GENOME) {
            int diagonal = 0;
            for (int i = 1; i <= query.length; i++) {
                int here = Math.max(0, diagonal + (query[i - 1] == base ? 5 : -4));
                diagonal = column[i];
                here = Math.max(here, Math.max(column[i], column[i - 1]) - 7);
                column[i] = here;
                best = Math.max(best, here);
            }
        }
        return best;
    }

    private record Rack(int from, int to) implements Callable<Long> {
        @Override
        public Long call() {
            long sum = 0;
            for (int i = from; i < to; i++) {
                sum += (long) score(bases(i, QUERY)) * (i % 1000 + 1);
            }
            return sum;
        }
    }

    /** The queries before a task's, as a share of all. */
    private static double before(int task) {
        double fair = task;
        if (Work.threads > 1) {
            fair = task * (1 + Work.dial) - Work.dial * task * (task - 1) / (Work.threads - 1);
        }
        return fair / Work.threads;
    }

    public static void main(String[] words) throws InterruptedException, ExecutionException {
        Work.arguments(words);
        ExecutorService pool = Executors.newFixedThreadPool(Work.threads);
        long sum = 0;
        int plate = Work.work / PLATES;
        for (int p = 0; p < PLATES; p++) {
            List<Rack> racks = new ArrayList<>();
            for (int t = 0; t < Work.threads; t++) {
                int from = (int) Math.round(before(t) * plate);
                int to = (int) Math.round(before(t + 1) * plate);
                racks.add(new Rack(p * plate + from, p * plate + to));
            }
            for (Future<Long> one : pool.invokeAll(racks)) {
                sum += one.get();
            }
        }
        pool.shutdown();
        System.out.println(Long.toHexString(sum));
    }
}
