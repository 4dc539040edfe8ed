import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Serial part: rates the individuals of 16 generations, one generation after the other, by running a cellular automaton
 * on each.
 *
 * <p>The dial is the share of each generation that is its elite: the main thread rates it alone, and then the threads of
 * a pool rate all others, in equal parts, while it waits. So the serial part comes in 16 pieces, each between two
 * parallel ones. Individuals are independent, and nothing is locked or allocated while they are rated.
 */
final class Generations {
    private static final int GENERATIONS = 16;
    private static final int STEPS = 3000;

    /** Runs rule 110 on a ring of 64 cells; returns how many were alive, and which in the end. */
    private static long rating(int individual) {
        long cells = individual * 0x9E3779B97F4A7C15L | 1;
        long alive = 0;
        for (int step = 0; step < STEPS; step++) {
            long left = cells >>> 1 | cells << 63;
            long right = cells << 1 | cells >>> 63;
            cells = (cells | right) & ~(left & cells & right);
            alive += cells & 0xFFFF;
        }
        return alive ^ cells;
    }

    private static long ratings(int begin, int end) {
        long sum = 0;
        for (int individual = begin; individual < end; individual++) {
            sum += rating(individual);
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException, ExecutionException {
        Work.arguments(words);
        ExecutorService pool = Executors.newFixedThreadPool(Work.threads);
        long sum = 0;
        for (int generation = 0; generation < GENERATIONS; generation++) {
            int begin = (int) ((long) Work.work * generation / GENERATIONS);
            int end = (int) ((long) Work.work * (generation + 1) / GENERATIONS);
            int elite = begin + (int) Math.round(Work.dial * (end - begin));
            sum += ratings(begin, elite);
            List<Callable<Long>> parts = new ArrayList<>();
            for (int thread = 0; thread < Work.threads; thread++) {
                int from = elite + (end - elite) * thread / Work.threads;
                int to = elite + (end - elite) * (thread + 1) / Work.threads;
                parts.add(() -> ratings(from, to));
            }
            for (Future<Long> part : pool.invokeAll(parts)) {
                sum += part.get();
            }
        }
        pool.shutdown();
        System.out.printf("%016x%n", sum);
    }
}
