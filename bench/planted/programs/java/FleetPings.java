/**
 * Imbalance: snaps the pings of a fleet's lorries to the road that they were on, the nearest of many polylines.
 *
 * <p>A ping goes to the worker that its lorry's number names, so that a worker sees all pings of a lorry. Lorries ping
 * equally often at dial 0. The dial is the share of the pings that come from one lorry with a broken radio, and are all
 * snapped by one worker.
 */
final class FleetPings {
    private static final int ROADS = 24;
    private static final int POINTS = 32;
    private static final int LORRIES = 240;
    private static final int BROKEN = 7;

    private final int[][] east = new int[ROADS][POINTS];
    private final int[][] north = new int[ROADS][POINTS];

    private FleetPings() {
        int state = 12345;
        for (int road = 0; road < ROADS; road++) {
            int x = road * 4000;
            int y = road * 977 % 5000 * 20;
            for (int point = 0; point < POINTS; point++) {
                state = state * 1664525 + 1013904223;
                x += (state >>> 22) - 300;
                y += (state >>> 12 & 1023) - 300;
                east[road][point] = x;
                north[road][point] = y;
            }
        }
    }

    /** The road whose segment is nearest to a place, by the squared distance to its nearer end and its middle. */
    private int nearest(int x, int y) {
        long least = Long.MAX_VALUE;
        int best = 0;
        for (int road = 0; road < ROADS; road++) {
            int[] xs = east[road];
            int[] ys = north[road];
            for (int point = 1; point < POINTS; point++) {
                long dx = x - (xs[point] + xs[point - 1]) / 2;
                long dy = y - (ys[point] + ys[point - 1]) / 2;
                long ex = x - xs[point];
                long ey = y - ys[point];
                long far = Math.min(dx * dx + dy * dy, ex * ex + ey * ey);
                if (far < least) {
                    least = far;
                    best = road;
                }
            }
        }
        return best;
    }

    private long snap(int ping) {
        long place = Work.unit(ping, 3);
        int road = nearest((int) (place >>> 40 & 0xFFFF), (int) (place >>> 20 & 0xFFFF));
        return (road + 1L) * (ping + 1L);
    }

    private long snapAll(int[] pings) {
        long sum = 0;
        for (int ping : pings) {
            sum += snap(ping);
        }
        return sum;
    }

    private static int lorry(int ping) {
        return Work.picked(ping) ? BROKEN : ping % LORRIES;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        FleetPings fleet = new FleetPings();
        int[][] inboxes = new int[Work.threads][Work.work];
        int[] filled = new int[Work.threads];
        for (int ping = 0; ping < Work.work; ping++) {
            int worker = lorry(ping) % Work.threads;
            inboxes[worker][filled[worker]++] = ping;
        }
        Work.printSum(thread -> fleet.snapAll(java.util.Arrays.copyOf(inboxes[thread], filled[thread])));
    }
}
