// 600 pieces of work, five milliseconds each, for a parallel stream or for as many threads as there are said to be cpus.
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

public class Parallel {
    static void work(int piece) {
        for (long end = System.nanoTime() + 5_000_000L; System.nanoTime() < end;) {}
    }

    public static void main(String[] words) throws InterruptedException {
        if (words[0].equals("stream")) {
            IntStream.range(0, 600).parallel().forEach(Parallel::work);
            return;
        }
        ExecutorService pool = Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        for (int piece = 0; piece < 600; piece++) {
            pool.submit(() -> work(0));
        }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }
}
