import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/**
 * The store of sessions behind a web shop: requests name a session and what was clicked; the store keeps the sessions of
 * the last while and sums up what is in their baskets.
 *
 * <p>SessionStore THREADS DIAL WORK: WORK is the number of requests; DIAL (0 to 1) is the share of requests that open a
 * session, which lives until RECENT others have been opened. The others are anonymous: they are only priced.
 */
public final class SessionStore {
    private static final int RECENT = 20_000;
    private static final int CLICKS = 12;

    private static final class Item {
        final int article;
        final long cents;
        final String label;

        Item(int article, long cents) {
            this.article = article;
            this.cents = cents;
            this.label = "a" + article % 1000;
        }
    }

    private static final class Session {
        final long id;
        final List<Item> basket = new ArrayList<>(4);
        final Map<String, Long> seen = new HashMap<>(8);

        Session(long id) {
            this.id = id;
        }

        void put(int article, long cents) {
            Item item = new Item(article, cents);
            basket.add(item);
            seen.merge(item.label, cents, Long::sum);
        }

        long total() {
            long sum = 0;
            for (Item item : basket) {
                sum += item.cents;
            }
            return sum;
        }
    }

    /** Serves every THREADS-th request with a share of the recent sessions. */
    private static final class Server extends Thread {
        private final int from;
        private final int to;
        private final double opening;
        private final Session[] recent;
        private final CountDownLatch done;
        long revenue;
        long digest;

        Server(int from, int to, double opening, int recent, CountDownLatch done) {
            this.from = from;
            this.to = to;
            this.opening = opening;
            this.recent = new Session[recent];
            this.done = done;
        }

        @Override
        public void run() {
            int slot = 0;
            for (int request = from; request < to; request++) {
                boolean opens = (long) ((request + 1) * opening) > (long) (request * opening);
                Session session = opens ? new Session(request) : null;
                long total = serve(request, session);
                if (session != null) {
                    recent[slot] = session;
                    slot = slot + 1 < recent.length ? slot + 1 : 0;
                    total = session.total();
                }
                revenue += total;
                digest += total * (request | 1);
            }
            done.countDown();
        }

        /** Follow the clicks of a request; one in four puts something into the basket. */
        private long serve(int request, Session session) {
            long state = request * 0x9E3779B97F4A7C15L + 7;
            long total = 0;
            for (int click = 0; click < CLICKS; click++) {
                int article = 0;
                for (int field = 0; field < 6; field++) {
                    state ^= state << 13;
                    state ^= state >>> 7;
                    state ^= state << 17;
                    article = article * 31 + (int) (state >>> 48) % 997;
                }
                if (click % 4 == 3) {
                    article &= 0xffff;
                    long cents = 99 + article % 5000;
                    total += cents;
                    if (session != null) {
                        session.put(article, cents);
                    }
                }
            }
            return total;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        if (args.length != 3) {
            System.err.println("usage: SessionStore THREADS DIAL WORK");
            System.exit(2);
        }
        int threads = Integer.parseInt(args[0]);
        double dial = Double.parseDouble(args[1]);
        int work = Integer.parseInt(args[2]);

        CountDownLatch done = new CountDownLatch(threads);
        List<Server> servers = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int from = (int) ((long) work * t / threads);
            int to = (int) ((long) work * (t + 1) / threads);
            Server server = new Server(from, to, dial, RECENT / threads, done);
            servers.add(server);
            server.start();
        }
        done.await();
        long revenue = 0;
        long digest = 0;
        for (Server server : servers) {
            revenue += server.revenue;
            digest += server.digest;
        }
        System.out.printf("%d requests, revenue %d, digest %x%n", work, revenue, digest);
    }
}
