import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Serial part: a forecast of a river's levels by many runs, which are corrected by the gauges after each day.
 *
 * <p>A pool computes a day of all runs: the water moves from reach to reach and some is lost to the ground. Each run is
 * then drawn towards what the gauges saw, by many small corrections. The dial is the share of the runs that are
 * corrected by the main thread, between the days, as in a program whose analysis was never made parallel; all others
 * are corrected by the task that computed their day. Each run is corrected once a day in the same way.
 */
final class RiverForecast {
    private static final int RUNS = 192;
    private static final int REACHES = 120;
    private static final int HOURS = 24;
    private static final int SWEEPS = 36;

    private final double[][] levels = new double[RUNS][REACHES];

    private RiverForecast() {
        for (int run = 0; run < RUNS; run++) {
            for (int reach = 0; reach < REACHES; reach++) {
                levels[run][reach] = 1 + (run * 37 + reach * 11) % 50 / 50.0;
            }
        }
    }

    private void day(int run, int day) {
        double[] level = levels[run];
        for (int hour = 0; hour < HOURS; hour++) {
            double inflow = 1 + (day * 24 + hour) % 17 / 17.0;
            for (int reach = 0; reach < REACHES; reach++) {
                double outflow = 0.3 * level[reach] * (1 + 0.1 * level[reach]);
                level[reach] += (inflow - outflow) * 0.5 - 0.001 * level[reach];
                inflow = outflow;
            }
        }
    }

    private void correct(int run, int day) {
        double[] level = levels[run];
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            double error = 0;
            for (int reach = 0; reach < REACHES; reach++) {
                double seen = 1.5 + (day * 7 + reach * 3) % 20 / 20.0;
                error = 0.7 * error + (seen - level[reach]) * 0.02;
                level[reach] = Math.max(0.1, level[reach] + error);
            }
        }
    }

    private void forecast(ExecutorService pool, int threads, int days, double dial) throws Exception {
        int late = (int) Math.round(dial * RUNS);
        for (int day = 0; day < days; day++) {
            int today = day;
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int task = 0; task < 2 * threads; task++) {
                int first = task;
                tasks.add(() -> {
                    for (int run = first; run < RUNS; run += 2 * threads) {
                        day(run, today);
                        if (run >= late) {
                            correct(run, today);
                        }
                    }
                    return null;
                });
            }
            for (Future<Void> one : pool.invokeAll(tasks)) {
                one.get();
            }
            for (int run = 0; run < late; run++) {
                correct(run, day);
            }
        }
    }

    public static void main(String[] words) throws Exception {
        int threads = Integer.parseInt(words[0]);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        RiverForecast river = new RiverForecast();
        river.forecast(pool, threads, Integer.parseInt(words[2]), Double.parseDouble(words[1]));
        pool.shutdown();
        long sum = 0;
        for (double[] level : river.levels) {
            for (double one : level) {
                sum = sum * 31 + Double.doubleToLongBits(one);
            }
        }
        System.out.println(Long.toHexString(sum));
    }
}
