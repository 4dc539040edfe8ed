/**
 * Sleeping lock: a depot that chooses which goods go into each order's box, by the table of the knapsack problem.
 *
 * <p>The dial is the share of the orders for goods that are short: the depot is locked (by a synchronized method) while
 * the box is filled, so that no other order takes them. All others are filled without the lock. A box takes about
 * 100 us, longer than a thread spins for a monitor, so who finds the depot locked is parked. Each thread has its own
 * table, and nothing is allocated on the way.
 */
final class Boxes {
    private static final int ROOM = 2000;
    private static final int GOODS = 90;

    private int filled;

    /** The best value of a box: a later good is either left out or takes its size from the room. */
    private static long value(int order, int[] best) {
        java.util.Arrays.fill(best, 0);
        int random = order * 0x9E3779B9 + 1;
        for (int good = 0; good < GOODS; good++) {
            random = random * 1664525 + 1013904223;
            int size = 20 + (random >>> 25);
            int worth = size * 8 + (random >>> 16 & 255);
            for (int room = ROOM; room >= size; room--) {
                best[room] = Math.max(best[room], best[room - size] + worth);
            }
        }
        return best[ROOM];
    }

    private synchronized long valueOfShort(int order, int[] best) {
        filled++;
        return value(order, best);
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Boxes depot = new Boxes();
        Work.printSum(
                thread -> {
                    int[] best = new int[ROOM + 1];
                    long sum = 0;
                    for (int order = Work.first(thread); order < Work.first(thread + 1); order++) {
                        sum += Work.picked(order) ? depot.valueOfShort(order, best) : value(order, best);
                    }
                    return sum;
                });
    }
}
