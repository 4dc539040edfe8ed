import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Garbage collection: the evenings of a tavern, with what every table eats, drinks and owes.
 *
 * <p>On most evenings the waiter chalks up the tables on a board that is wiped at closing time. The dial is the share
 * of evenings with credit: then every order becomes a slip on the tab of its table, and the tabs stay in the drawer
 * until {@code DRAWER} later evenings with credit are over. The sums are the same. Slips are too young to be dropped
 * when the young generation is full, so the collector copies them, alone, while all waiters stand still.
 */
public class TavernTabs implements Runnable {
    static final int ORDERS = 44;
    static final int TABLES = 9;
    static final int DRAWER = 3200;

    record Slip(int dish, int portions, long cents) {}

    private final int from;
    private final int to;
    private final double credit;
    private final int drawerSize;
    private long takings;

    TavernTabs(int from, int to, double credit, int drawerSize) {
        this.from = from;
        this.to = to;
        this.credit = credit;
        this.drawerSize = drawerSize;
    }

    /** Haggles over the price of a dish; guest and landlord make offers in turn. */
    private static long haggle(long guest, int dish) {
        long offer = 150 + dish * 35L;
        long asked = 3 * offer;
        for (int round = 0; round < 16; round++) {
            guest = guest * 6364136223846793005L + 1442695040888963407L;
            offer += (asked - offer) * (guest >>> 60) >> 6;
            asked -= (asked - offer) * (guest >>> 56 & 15) >> 6;
        }
        return offer + (guest >>> 62);
    }

    /** Serves an evening; the tabs are null if all is chalked up. */
    private long serve(int evening, long[] board, Map<Integer, List<Slip>> tabs) {
        long guest = (evening + 3) * 0x9E3779B97F4A7C15L;
        for (int order = 0; order < ORDERS; order++) {
            guest ^= guest >>> 29;
            guest *= 0xBF58476D1CE4E5B9L;
            int table = (int) (guest >>> 40) % TABLES;
            int dish = (int) (guest >>> 33) & 31;
            int portions = 1 + (int) (guest >>> 61);
            long cents = haggle(guest, dish);
            if (tabs == null) {
                board[table] = board[table] * 7 + portions * cents + dish;
            } else {
                tabs.computeIfAbsent(table, t -> new ArrayList<>()).add(new Slip(dish, portions, cents));
            }
        }
        long sum = 0;
        for (int table = 0; table < TABLES; table++) {
            long owed = board[table];
            if (tabs != null) {
                for (Slip slip : tabs.getOrDefault(table, List.of())) {
                    owed = owed * 7 + slip.portions() * slip.cents() + slip.dish();
                }
            }
            sum = sum * 31 + owed;
            board[table] = 0;
        }
        return sum;
    }

    @Override
    public void run() {
        long[] board = new long[TABLES];
        ArrayDeque<Map<Integer, List<Slip>>> drawer = new ArrayDeque<>(drawerSize + 1);
        long sum = 0;
        for (int evening = from; evening < to; evening++) {
            // Evenings with credit are spread evenly.
            if ((long) ((evening + 1) * credit) == (long) (evening * credit)) {
                sum += serve(evening, board, null);
                continue;
            }
            drawer.addLast(new HashMap<>());
            sum += serve(evening, board, drawer.getLast());
            if (drawer.size() > drawerSize) {
                drawer.removeFirst();
            }
        }
        takings = sum;
    }

    public static void main(String[] words) throws InterruptedException {
        int waiters = Integer.parseInt(words[0]);
        int evenings = Integer.parseInt(words[2]);
        List<TavernTabs> staff = new ArrayList<>();
        List<Thread> shifts = new ArrayList<>();
        for (long w = 0; w < waiters; w++) {
            int from = (int) (evenings * w / waiters);
            int to = (int) (evenings * (w + 1) / waiters);
            staff.add(new TavernTabs(from, to, Double.parseDouble(words[1]), DRAWER / waiters));
            shifts.add(new Thread(staff.get((int) w)));
        }
        shifts.forEach(Thread::start);
        long sum = 0;
        for (int w = 0; w < waiters; w++) {
            shifts.get(w).join();
            sum += staff.get(w).takings;
        }
        System.out.println("takings " + Long.toHexString(sum));
    }
}
