/**
 * Garbage collection: a theatre's box office sells the seats of many shows, and the history of a show can be kept.
 *
 * <p>A show is a tree of sums over its seats: a sale looks for the seat with a given rank among those left, takes it, and
 * corrects the sums above. Most shows are sold in a flat array that the clerk uses again. The dial is the share of shows
 * with a history: every sale copies the path that it changes, and the clerks together keep the last versions for
 * returns. All of that is small objects that live for a while and then die, in a small heap with a collector of one
 * thread that stops all clerks.
 */
final class SeatHistory {
    private static final int SEATS = 256;
    private static final int SALES = 160;
    private static final int KEPT = 20000;

    private record Block(int left, Block low, Block high) {}

    private final int[] sums = new int[2 * SEATS];
    private final Block[] versions;
    private int newest;

    private SeatHistory(int kept) {
        versions = new Block[kept];
    }

    private static long next(long seed) {
        seed ^= seed << 13;
        seed ^= seed >>> 7;
        return seed ^ seed << 17;
    }

    /** What the seat costs to this customer: the offers of a few agencies are compared. */
    private static long price(long customer, int seat) {
        long best = Long.MAX_VALUE;
        for (int agency = 1; agency <= 100; agency++) {
            long offer = customer * (2 * agency + 1) + seat;
            offer = (offer ^ offer >>> 29) * 0xBF58476D1CE4E5B9L;
            best = Math.min(best, offer >>> 40);
        }
        return best;
    }

    private long sellInPlace(int show) {
        for (int i = SEATS; i < 2 * SEATS; i++) {
            sums[i] = 1;
        }
        for (int i = SEATS - 1; i > 0; i--) {
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        }
        long customer = show * 0x9E3779B97F4A7C15L + 1;
        long income = 0;
        for (int sale = 0; sale < SALES; sale++) {
            customer = next(customer);
            int rank = (int) ((customer >>> 33) % sums[1]);
            int at = 1;
            while (at < SEATS) {
                sums[at]--;
                at *= 2;
                if (rank >= sums[at]) {
                    rank -= sums[at];
                    at++;
                }
            }
            sums[at] = 0;
            income += price(customer, at - SEATS);
        }
        return income;
    }

    private static Block full(int seats) {
        return seats == 1 ? new Block(1, null, null) : new Block(seats, full(seats / 2), full(seats / 2));
    }

    private static int seatOf(Block block, int rank) {
        int seat = 0;
        for (int half = SEATS / 2; half > 0; half /= 2) {
            if (rank < block.low.left) {
                block = block.low;
            } else {
                rank -= block.low.left;
                block = block.high;
                seat += half;
            }
        }
        return seat;
    }

    private static Block without(Block block, int seat, int half) {
        if (half == 0) {
            return new Block(0, null, null);
        }
        return (seat & half) == 0
                ? new Block(block.left - 1, without(block.low, seat, half / 2), block.high)
                : new Block(block.left - 1, block.low, without(block.high, seat, half / 2));
    }

    private long sellWithHistory(int show) {
        Block now = full(SEATS);
        long customer = show * 0x9E3779B97F4A7C15L + 1;
        long income = 0;
        for (int sale = 0; sale < SALES; sale++) {
            customer = next(customer);
            int seat = seatOf(now, (int) ((customer >>> 33) % now.left));
            now = without(now, seat, SEATS / 2);
            versions[newest] = now;
            newest = newest + 1 == versions.length ? 0 : newest + 1;
            income += price(customer, seat);
        }
        return income;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(thread -> {
            SeatHistory clerk = new SeatHistory(KEPT / Work.threads);
            long income = 0;
            for (int show = Work.first(thread); show < Work.first(thread + 1); show++) {
                income += Work.picked(show) ? clerk.sellWithHistory(show) : clerk.sellInPlace(show);
            }
            return income;
        });
    }
}
