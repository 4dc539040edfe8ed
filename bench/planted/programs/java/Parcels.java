import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Plans the last mile of parcels: each bag of parcels gets the order in which its addresses are visited.
 *
 * <p>usage: Parcels THREADS DIAL BAGS
 *
 * <p>Bags arrive in waves. In a wave each bag slides to the lane of its postal district, and each lane has one planner;
 * when all lanes are empty, the vans leave and the next wave is let in. There are as many lanes as threads. DIAL is the
 * share of the bags for the city, which are all on the first lane; the others are spread evenly over the lanes. Printed
 * is the length of all tours.
 */
final class Parcels {
    private static final int WAVES = 8;
    private static final int STOPS = 12;

    /** What a planner keeps between bags. */
    private static final class Planner {
        private final int[] at = new int[STOPS]; // x and y in 12 bits each

        /** The length of a good tour of a bag: nearest neighbour first, then without crossings. */
        long plan(int bag) {
            long seed = mixed(bag);
            for (int i = 0; i < STOPS; i++) {
                seed = seed * 6364136223846793005L + 1442695040888963407L;
                at[i] = (int) (seed >>> 40);
            }
            for (int i = 1; i < STOPS - 1; i++) {
                int nearest = i;
                for (int j = i + 1; j < STOPS; j++) {
                    if (between(i - 1, j) < between(i - 1, nearest)) {
                        nearest = j;
                    }
                }
                swap(i, nearest);
            }
            for (int round = 0; round < 4; round++) {
                for (int i = 1; i < STOPS - 2; i++) {
                    for (int j = i + 1; j < STOPS - 1; j++) {
                        if (between(i - 1, j) + between(i, j + 1) < between(i - 1, i) + between(j, j + 1)) {
                            for (int a = i, b = j; a < b; a++, b--) {
                                swap(a, b);
                            }
                        }
                    }
                }
            }
            long length = 0;
            for (int i = 1; i < STOPS; i++) {
                length += between(i - 1, i);
            }
            return length;
        }

        private int between(int i, int j) {
            return Math.abs((at[i] >> 12) - (at[j] >> 12)) + Math.abs((at[i] & 0xFFF) - (at[j] & 0xFFF));
        }

        private void swap(int i, int j) {
            int kept = at[i];
            at[i] = at[j];
            at[j] = kept;
        }
    }

    private static long mixed(long number) {
        long x = (number + 1) * 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return x ^ x >>> 29;
    }

    /** The bags that slid to a lane. */
    private static final class Lane implements Callable<Long> {
        private final int[] bags;
        private int count;

        Lane(int most) {
            bags = new int[most];
        }

        void add(int bag) {
            bags[count++] = bag;
        }

        @Override
        public Long call() {
            Planner planner = new Planner();
            long length = 0;
            for (int i = 0; i < count; i++) {
                length += planner.plan(bags[i]);
            }
            return length;
        }
    }

    public static void main(String[] words) throws Exception {
        int lanes = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int bags = Integer.parseInt(words[2]);
        ExecutorService planners = Executors.newFixedThreadPool(lanes);
        long total = 0;
        int turn = 0;
        for (int wave = 0; wave < WAVES; wave++) {
            int from = (int) ((long) bags * wave / WAVES);
            int to = (int) ((long) bags * (wave + 1) / WAVES);
            List<Lane> lane = new ArrayList<>();
            for (int district = 0; district < lanes; district++) {
                lane.add(new Lane(to - from));
            }
            for (int bag = from; bag < to; bag++) {
                boolean city = (mixed(bag ^ 0xC17) >>> 11) * 0x1p-53 < dial;
                lane.get(city ? 0 : turn++ % lanes).add(bag);
            }
            for (Future<Long> length : planners.invokeAll(lane)) {
                total += length.get();
            }
        }
        planners.shutdown();
        System.out.println(total);
    }
}
