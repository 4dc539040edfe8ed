import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cache of web sessions, least recently used out first.
 *
 * <pre>SiteSessions THREADS DIAL WORK</pre>
 *
 * Users belong to one of 8 shards; workers take shards from a queue and answer the requests of their users. A request
 * whose user has no session evicts the oldest one of the shard. The new session is made over from the old one, or
 * allocated, and the old one left to the collector: DIAL is the share of new sessions that are allocated. WORK is the
 * number of requests per shard.
 */
final class SiteSessions {
    private static final int SHARDS = 8;
    private static final int CAPACITY = 3000;
    private static final int USERS = 12000;
    private static final int FIELDS = 6;

    static final class Field {
        final String name;
        long value;
        final Field next;

        Field(String name, Field next) {
            this.name = name;
            this.next = next;
        }
    }

    static final class Session {
        int user;
        int visits;
        Session newer;
        Session older;
        final Field fields;

        Session() {
            Field made = null;
            for (int i = 0; i < FIELDS; i++) made = new Field("field", made);
            fields = made;
        }

        void start(int user) {
            this.user = user;
            visits = 0;
            int number = 0;
            for (Field field = fields; field != null; field = field.next) field.value = user * 2654435761L + number++;
        }

        /** What a visit shows, which leaves its traces in the session. */
        long page() {
            long sum = ++visits;
            for (Field field = fields; field != null; field = field.next) {
                for (int round = 0; round < 8; round++) sum = (sum ^ field.value >>> round) * 1099511628211L;
                field.value += sum & 15;
            }
            return sum;
        }
    }

    /** Keeps shards apart that the collector has copied next to each other. */
    static class Padding {
        long p0, p1, p2, p3, p4, p5, p6, p7;
    }

    /** The sessions of a shard's users. */
    static final class Shard extends Padding {
        private final Session[] byUser = new Session[USERS];
        private Session newest;
        private Session oldest;
        private long state;

        Shard(int number) {
            state = number + 1;
            for (int user = 0; user < CAPACITY; user++) {
                Session session = new Session();
                session.start(user);
                byUser[user] = session;
                push(session);
            }
        }

        private int draw(int bound) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            return (int) ((state >>> 33) % bound);
        }

        private void unlink(Session session) {
            if (session.newer == null) newest = session.older;
            else session.newer.older = session.older;
            if (session.older == null) oldest = session.newer;
            else session.older.newer = session.newer;
        }

        private void push(Session session) {
            session.newer = null;
            session.older = newest;
            if (newest == null) oldest = session;
            else newest.newer = session;
            newest = session;
        }

        private long request(int user, double allocated) {
            Session session = byUser[user];
            if (session == null) {
                session = oldest;
                byUser[session.user] = null;
                unlink(session);
                if (draw(1000) < allocated * 1000) session = new Session();
                session.start(user);
                byUser[user] = session;
            } else {
                unlink(session);
            }
            push(session);
            return session.page();
        }

        /** Answers requests; a quarter of them are of users who come often. */
        long serve(int requests, double allocated) {
            long digest = 0;
            for (int i = 0; i < requests; i++) {
                digest += request(draw(4) == 0 ? draw(CAPACITY / 4) : draw(USERS), allocated);
            }
            return digest;
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        double allocated = Double.parseDouble(args[1]);
        int requests = Integer.parseInt(args[2]);
        Deque<Shard> queue = new ArrayDeque<>();
        for (int i = 0; i < SHARDS; i++) queue.add(new Shard(i));
        AtomicLong digest = new AtomicLong();
        Runnable worker = () -> {
            for (;;) {
                Shard shard;
                synchronized (queue) {
                    shard = queue.poll();
                }
                if (shard == null) return;
                digest.addAndGet(shard.serve(requests, allocated));
            }
        };
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) (workers[t] = new Thread(worker, "worker-" + t)).start();
        for (Thread one : workers) one.join();
        System.out.println(Long.toHexString(digest.get()));
    }
}
