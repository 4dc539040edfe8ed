import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * False sharing: replays days of a tram network for a fare planner; the crews of a thread pool take days from a counter.
 *
 * <p>Every crew keeps the state of its own 64 stops in one big array, and reads and writes no other crew's. The dial is
 * the share of the stops that the array keeps stop by stop, with the words of all crews beside each other in a cache
 * line; the others it keeps crew by crew, far apart. No word is shared, but the lines of the dial's stops go to and fro
 * between the cpus, and each tram waits for them. One crew finds the same number of lines either way.
 */
final class TramDays {
    static final int STOPS = 64;
    static final int CALLS = 4000;
    static final int RIDERS = 3;
    static final int ROW = 17;

    /** Where the words of stops are: a stop's column of all crews, or a crew's block of all stops. */
    static final class Board {
        final long[] words;
        final int crews;
        final int row;
        final int together;

        Board(int crews, double dial) {
            this.crews = crews;
            row = Math.max(ROW, crews + 9 | 1);
            together = (int) Math.round(dial * STOPS);
            words = new long[(crews + 1) * (STOPS + 4) * row];
        }

        int[] wordsOf(int crew) {
            int[] at = new int[STOPS];
            for (int stop = 0; stop < STOPS; stop++) {
                int line = stop * 27 % STOPS;
                boolean shared = line < together;
                at[stop] = (shared ? line : (crew + 1) * (STOPS + 4) + line) * row + (shared ? crew : 0);
            }
            return at;
        }
    }

    /** One worker with a state of its own at every stop. */
    static final class Crew implements Callable<Long> {
        final long[] words;
        final int[] at;
        final AtomicInteger calendar;
        final int days;

        Crew(Board board, int number, AtomicInteger calendar, int days) {
            words = board.words;
            at = board.wordsOf(number);
            this.calendar = calendar;
            this.days = days;
        }

        @Override
        public Long call() {
            long takings = 0;
            for (int day = calendar.getAndIncrement(); day < days; day = calendar.getAndIncrement()) {
                open(day);
                takings += ride(day);
            }
            return takings;
        }

        void open(int day) {
            for (int stop = 0; stop < STOPS; stop++) {
                words[at[stop]] = (day * 64L + stop + 1) * 0x9E3779B97F4A7C15L;
            }
        }

        /** Trams go round; whether one skips a stop depends on the riders at the last. */
        long ride(int day) {
            int stop = day & STOPS - 1;
            long takings = 0;
            for (int call = 0; call < CALLS; call++) {
                long crowd = words[at[stop]];
                crowd = crowd * 6364136223846793005L + (crowd >>> 33 | 1);
                words[at[stop]] = crowd;
                long paid = fares(crowd);
                takings += paid;
                stop = stop + 1 + (int) (crowd + paid >>> 9 & 1) & STOPS - 1;
            }
            return takings;
        }

        /** What the riders who board pay: by zones, less for those who change. */
        static long fares(long crowd) {
            long sum = 0;
            long rider = crowd;
            for (int i = 0; i < RIDERS; i++) {
                long zones = rider >>> 60;
                sum += zones < 9 ? 210 + 35 * zones : 510;
                rider = rider * 0xD6E8FEB86659FD93L + i;
            }
            return sum;
        }
    }

    public static void main(String[] words) throws Exception {
        int threads = Integer.parseInt(words[0]);
        Board board = new Board(threads, Double.parseDouble(words[1]));
        AtomicInteger calendar = new AtomicInteger();
        List<Crew> crews = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            crews.add(new Crew(board, i, calendar, Integer.parseInt(words[2])));
        }
        ExecutorService depot = Executors.newFixedThreadPool(threads);
        long takings = 0;
        for (Future<Long> crew : depot.invokeAll(crews)) {
            takings += crew.get();
        }
        depot.shutdown();
        System.out.println("takings " + takings);
    }
}
