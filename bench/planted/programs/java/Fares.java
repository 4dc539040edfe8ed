import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A fare search of a railway: each request prices the itineraries between two stations.
 *
 * <pre>Fares THREADS DIAL WORK</pre>
 *
 * Itineraries are priced from a snapshot of the tariff that each worker has, or, where the tariff of the day counts, over
 * a connection to the tariff store. Connections are pooled, and the store's licence allows for one. DIAL is the share of
 * a request's itineraries that is priced over the connection; WORK is the number of requests.
 */
final class Fares {
    private static final int STATIONS = 300;
    private static final int ITINERARIES = 40;

    /** Prices per leg by class of train, with the rebates that apply to a journey. */
    static final class Tariff {
        private final int[] perKilometre = new int[64];
        private final int[] rebates = new int[97];
        private long asked;

        Tariff() {
            for (int i = 0; i < perKilometre.length; i++) perKilometre[i] = 11 + i * 7 % 23;
            for (int i = 0; i < rebates.length; i++) rebates[i] = i * i % 41;
        }

        /** The price of an itinerary in cents: its legs degressively by distance, then the best of its rebates. */
        int price(int from, int to, int itinerary) {
            int cents = 0;
            int at = from;
            int travelled = 0;
            int legs = 12 + itinerary % 7;
            for (int leg = 1; leg <= legs; leg++) {
                int next = leg == legs ? to : (at * 31 + itinerary * 17 + leg * 13) % STATIONS;
                int kilometres = Math.abs(next - at) + 5;
                int factor = 1000 - Math.min(400, travelled / 8);
                cents += kilometres * perKilometre[(at + leg) % perKilometre.length] * factor / 1000;
                travelled += kilometres;
                at = next;
            }
            int best = cents;
            for (int rebate = itinerary % 3; rebate < rebates.length; rebate += 3) {
                int reduced = cents - cents / 100 * rebates[(rebate + travelled) % rebates.length];
                if (reduced < best) best = reduced;
            }
            asked++;
            return best;
        }
    }

    /** A connection to the tariff store; one request has it at a time. */
    static final class Connection {
        private final Tariff store = new Tariff();

        int cheapest(int from, int to, int first, int last, int[] prices) {
            int cheapest = Integer.MAX_VALUE;
            for (int i = first; i < last; i++) {
                prices[i] = store.price(from, to, i);
                cheapest = Math.min(cheapest, prices[i]);
            }
            return cheapest;
        }
    }

    private final BlockingQueue<Connection> pool = new ArrayBlockingQueue<>(1);
    private final AtomicInteger next = new AtomicInteger();
    private final int requests;
    private final int overConnection;

    private Fares(double share, int requests) {
        this.requests = requests;
        overConnection = (int) Math.round(share * ITINERARIES);
        pool.add(new Connection());
    }

    private long answer(int request, Tariff snapshot, int[] prices) throws InterruptedException {
        int from = request * 7919 % STATIONS;
        int to = (from + 1 + request * 104729 % (STATIONS - 1)) % STATIONS;
        int cheapest = Integer.MAX_VALUE;
        if (overConnection > 0) {
            Connection connection = pool.take();
            try {
                cheapest = connection.cheapest(from, to, 0, overConnection, prices);
            } finally {
                pool.put(connection);
            }
        }
        for (int i = overConnection; i < ITINERARIES; i++) {
            prices[i] = snapshot.price(from, to, i);
            cheapest = Math.min(cheapest, prices[i]);
        }
        long sum = 0;
        for (int price : prices) sum += price - cheapest;
        return sum * 1000003 + cheapest;
    }

    private long serve() throws InterruptedException {
        Tariff snapshot = new Tariff();
        int[] prices = new int[ITINERARIES];
        long digest = 0;
        for (int request; (request = next.getAndIncrement()) < requests; ) {
            digest += answer(request & 0xffff, snapshot, prices);
        }
        return digest;
    }

    public static void main(String[] args) throws InterruptedException, ExecutionException {
        int threads = Integer.parseInt(args[0]);
        Fares fares = new Fares(Double.parseDouble(args[1]), Integer.parseInt(args[2]));
        ExecutorService workers = Executors.newFixedThreadPool(threads);
        List<Future<Long>> digests = new ArrayList<>();
        for (int i = 0; i < threads; i++) digests.add(workers.submit(fares::serve));
        long digest = 0;
        for (Future<Long> one : digests) digest += one.get();
        workers.shutdown();
        System.out.println(Long.toHexString(digest));
    }
}
