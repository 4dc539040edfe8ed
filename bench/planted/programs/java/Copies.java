/**
 * Memory bandwidth: sums units of arithmetic, and copies arrays.
 *
 * <p>The dial is the share of the units that copy 1 MiB instead, each from another place of a large array, so nothing is
 * found in a cache. Nothing is allocated on the way, so the collector has nothing to do.
 */
final class Copies {
    private static final int STEPS = 60_000;
    private static final int UNIT = 1 << 17;
    private static final int UNITS = 96;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        long[] from = new long[UNITS * UNIT];
        long[] to = new long[UNITS * UNIT];
        java.util.Arrays.fill(from, 1);
        java.util.Arrays.fill(to, 1);
        int units = UNITS / Work.threads;
        Work.printSum(
                thread -> {
                    long sum = 0;
                    for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
                        if (Work.picked(i)) {
                            int at = (thread * units + i % units) * UNIT;
                            System.arraycopy(from, at, to, at, UNIT);
                            sum += to[at];
                        } else {
                            sum += Work.unit(i, STEPS) == 0 ? 2 : 1;
                        }
                    }
                    return sum;
                });
    }
}
