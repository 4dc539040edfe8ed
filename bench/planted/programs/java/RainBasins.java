import java.util.concurrent.Phaser;

/**
 * A catchment model: each day every cell of a map gets rain, lets some of it into the ground and passes the rest to the
 * cell downhill (from the row above, as it was the day before). One worker a basin computes the rows of the basin, and
 * all meet at a phaser at the end of each day.
 *
 * <p>The dial moves the divides between basins: the first has 1 + dial times the mean number of rows, the last 1 - dial
 * times. Each row costs the same, so the workers with small basins wait for the largest one each day: imbalance. With
 * one worker there is one basin, the whole map.
 */
final class RainBasins {
    private static final int ROWS = 240;
    private static final int COLUMNS = 200;
    private static final int HOURS = 36;

    private final int[][] grounds = new int[2][ROWS * COLUMNS];
    private final int basins;
    private final double dial;
    private final int days;
    private final Phaser evening;

    private RainBasins(int basins, double dial, int days) {
        this.basins = basins;
        this.dial = dial;
        this.days = days;
        evening = new Phaser(basins);
    }

    /** The row where a basin begins. */
    private int divide(int basin) {
        double fair = basin;
        if (basins > 1) {
            fair = basin * (1 + dial) - dial * basin * (basin - 1) / (basins - 1);
        }
        return (int) Math.round(fair / basins * ROWS);
    }

    /** The water in a cell after a day, from its own and its upper neighbours' the day before. */
    private static int cell(int own, int above, int day, int place) {
        int water = own + (above >> 3);
        int sky = (day * 0x9E3779B1 ^ place * 0x85EBCA6B) | 1;
        for (int hour = 0; hour < HOURS; hour++) {
            sky ^= sky << 13;
            sky ^= sky >>> 17;
            sky ^= sky << 5;
            int rain = sky & 255;
            int room = 60000 - water;
            int soaked = rain < room ? rain : room;
            water += soaked;
            water -= (water >> 6) + (rain - soaked >> 1);
        }
        return water;
    }

    private void row(int[] before, int[] after, int day, int row) {
        int upper = row == 0 ? ROWS - 1 : row - 1;
        for (int column = 0; column < COLUMNS; column++) {
            int place = row * COLUMNS + column;
            after[place] = cell(before[place], before[upper * COLUMNS + column], day, place);
        }
    }

    /** The worker of one basin. */
    private final class Basin extends Thread {
        private final int first;
        private final int end;

        Basin(int number) {
            first = divide(number);
            end = divide(number + 1);
        }

        @Override
        public void run() {
            for (int day = 0; day < days; day++) {
                int[] before = grounds[day & 1];
                int[] after = grounds[day & 1 ^ 1];
                for (int row = first; row < end; row++) {
                    row(before, after, day, row);
                }
                evening.arriveAndAwaitAdvance();
            }
        }
    }

    private long gauge() throws InterruptedException {
        Thread[] workers = new Thread[basins];
        for (int i = 0; i < basins; i++) {
            workers[i] = new Basin(i);
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        long gauge = 0;
        for (int water : grounds[days & 1]) {
            gauge = gauge * 31 + water;
        }
        return gauge;
    }

    public static void main(String[] words) throws InterruptedException {
        int basins = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int days = Integer.parseInt(words[2]);
        System.out.println(Long.toHexString(new RainBasins(basins, dial, days).gauge()));
    }
}
