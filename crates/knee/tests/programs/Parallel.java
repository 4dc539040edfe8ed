// 600 pieces of work for each cpu that there is said to be, five milliseconds each, for a parallel stream or for as many
// threads. So they last as long on any number, and longer than the start, which one thread makes.
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

public class Parallel {
    static void work(int piece) {
        for (long end = System.nanoTime() + 5_000_000L; System.nanoTime() < end;) {}
    }

    public static void main(String[] words) throws InterruptedException {
        int threads = Runtime.getRuntime().availableProcessors();
        if (words[0].equals("stream")) {
            IntStream.range(0, 600 * threads).parallel().forEach(Parallel::work);
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        for (int piece = 0; piece < 600 * threads; piece++) {
            pool.submit(() -> work(0));
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }
}
