import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Runs a rainfall and runoff model: each basin is a gauge's own executor with one thread, to which every storm is
 * submitted as a future; a storm ends when the runoff of all basins has met at the mouth.
 *
 * <p>The dial moves the watersheds: the first basin has 1 + dial times its part of the cells, the last one 1 - dial
 * times, and the others lie between. Whose basin is small waits for the largest at the end of every storm, and the
 * cells and their work stay the same: that is imbalance.
 */
public final class RiverBasins {
    private static final int STORMS = 12;
    private static final int HOURS = 48;

    /** What a cell of the land holds: water in the soil and in the ground, and the slope it lies on. */
    private static final class Land {
        final int[] soil;
        final int[] ground;
        final int[] slope;

        Land(int cells) {
            soil = new int[cells];
            ground = new int[cells];
            slope = new int[cells];
            for (int i = 0; i < cells; i++) {
                slope[i] = 3 + (int) (mixed(i) >>> 60);
                soil[i] = 4000;
                ground[i] = 9000;
            }
        }
    }

    /** A storm over one basin. */
    private record Passage(Basin basin, int storm) implements Supplier<Long> {
        @Override
        public Long get() {
            return basin.runoff(storm);
        }
    }

    /** Two rivers that meet. */
    private static final class Confluence implements BiFunction<Long, Long, Long> {
        @Override
        public Long apply(Long one, Long other) {
            return one + other;
        }
    }

    /** A stretch of cells which drains past one gauge. */
    private static final class Basin implements AutoCloseable {
        final Land land;
        final int begin;
        final int end;
        final ExecutorService gauge;

        Basin(Land land, int begin, int end) {
            this.land = land;
            this.begin = begin;
            this.end = end;
            gauge = Executors.newSingleThreadExecutor();
        }

        CompletableFuture<Long> pass(int storm) {
            return CompletableFuture.supplyAsync(new Passage(this, storm), gauge);
        }

        private long runoff(int storm) {
            long sum = 0;
            for (int cell = begin; cell < end; cell++) {
                sum += cellRunoff(storm, cell);
            }
            return sum;
        }

        private long cellRunoff(int storm, int cell) {
            int soil = land.soil[cell];
            int ground = land.ground[cell];
            int slope = land.slope[cell];
            long weather = mixed((long) storm << 32 | cell);
            long river = 0;
            for (int hour = 0; hour < HOURS; hour++) {
                weather = weather * 6364136223846793005L + 1442695040888963407L;
                int rain = (int) (weather >>> 55);
                int room = 20000 - soil;
                int enters = rain * 16 * room / 20000;
                int over = rain * 16 - enters;
                int seeps = soil * (19 - slope) >> 9;
                int dries = soil >> 7;
                soil += enters - seeps - dries;
                int flows = ground >> 6;
                ground += seeps - flows;
                river = river * 31 + (over * slope >> 3) + flows;
            }
            land.soil[cell] = soil;
            land.ground[cell] = ground;
            return mixed(river + cell);
        }

        @Override
        public void close() {
            gauge.shutdown();
        }
    }

    private RiverBasins() {}

    private static long mixed(long x) {
        x = (x ^ x >>> 30) * 0xBF58476D1CE4E5B9L + 0x632BE59BD9B4E019L;
        x = (x ^ x >>> 27) * 0x94D049BB133111EBL;
        return x ^ x >>> 31;
    }

    /** The cells that lie before a basin. */
    private static int watershed(int basin, int basins, double dial, int cells) {
        double fair = basin;
        if (basins > 1) {
            fair = basin * (1 + dial) - dial * basin * (basin - 1) / (basins - 1);
        }
        return (int) Math.round(fair / basins * cells);
    }

    /** Lets a storm pass over all basins, and returns what came out at the mouth. */
    private static long mouth(List<Basin> basins, int storm) {
        CompletableFuture<Long> sum = CompletableFuture.completedFuture(0L);
        for (Basin basin : basins) {
            sum = sum.thenCombine(basin.pass(storm), new Confluence());
        }
        return sum.join();
    }

    public static void main(String[] words) {
        int threads = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int cells = Integer.parseInt(words[2]);
        Land land = new Land(cells);
        List<Basin> basins = new ArrayList<>();
        for (int b = 0; b < threads; b++) {
            int begin = watershed(b, threads, dial, cells);
            basins.add(new Basin(land, begin, watershed(b + 1, threads, dial, cells)));
        }
        long answer = 0;
        for (int storm = 0; storm < STORMS; storm++) {
            answer = answer * 31 + mouth(basins, storm);
        }
        for (Basin basin : basins) {
            basin.close();
        }
        System.out.println(Long.toHexString(answer));
    }
}
