import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Restores the frames of a film: for each frame, an executor's tasks filter strips of rows (scratches, then grain), and
 * the thread that made the tasks joins the strips to the frame.
 *
 * <p>The dial is the share of the rows that the joining thread filters itself, as part of the join, while the executor
 * has nothing to do: a serial part. One thread does the same rows in the same time, as the joining thread waits while
 * the executor's thread works.
 */
final class FilmRestorer {
    private static final int WIDTH = 640;
    private static final int ROWS = 960;
    private static final int STRIPS = 24;

    private FilmRestorer() {}

    /** Makes, filters and sums a row of a frame. */
    static long restored(int frame, int row, int[] pixels) {
        int noise = frame * 7919 + row * 104729 + 1;
        for (int x = 0; x < WIDTH; x++) {
            noise = noise * 1103515245 + 12345;
            pixels[x] = (noise >>> 22) + (x * row >> 8 & 255);
        }
        for (int pass = 0; pass < 3; pass++) {
            int left = pixels[0];
            for (int x = 1; x < WIDTH - 1; x++) {
                int a = left;
                int b = pixels[x];
                int c = pixels[x + 1];
                left = b;
                int median = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
                pixels[x] = (median * 3 + b) >> 2;
            }
        }
        long sum = 0;
        for (int x = 0; x < WIDTH; x++) {
            sum = sum * 31 + pixels[x];
        }
        return sum;
    }

    /** Rows of a frame that are filtered together. */
    private static final class Strip implements Callable<Long> {
        private final int frame;
        private final int from;
        private final int to;

        Strip(int frame, int from, int to) {
            this.frame = frame;
            this.from = from;
            this.to = to;
        }

        @Override
        public Long call() {
            int[] pixels = new int[WIDTH];
            long sum = 0;
            for (int row = from; row < to; row++) {
                sum += restored(frame, row, pixels);
            }
            return sum;
        }
    }

    public static void main(String[] words) throws InterruptedException, ExecutionException {
        int threads = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int frames = Integer.parseInt(words[2]);
        int shared = (int) Math.round(ROWS * (1 - dial));
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        long film = 0;
        for (int f = 0; f < frames; f++) {
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int s = 0; s < STRIPS; s++) {
                tasks.add(new Strip(f, shared * s / STRIPS, shared * (s + 1) / STRIPS));
            }
            long sum = 0;
            for (Future<Long> strip : pool.invokeAll(tasks)) {
                sum += strip.get();
            }
            sum += new Strip(f, shared, ROWS).call();
            film = film * 1009 + sum;
        }
        pool.shutdown();
        System.out.println(Long.toHexString(film));
    }
}
