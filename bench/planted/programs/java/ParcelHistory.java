import java.util.concurrent.Semaphore;

/**
 * Parcel history: depots keep a tree from shelf numbers to parcels; every scan of a parcel scores a route and changes
 * a shelf. The dial is the share of the scans that must stay in the history: these copy the path from the root to the
 * shelf and keep the old tree among the last versions of the depot, instead of changing the tree in place. The copies
 * live for a while (tens of megabytes in all) and then die, so the collector, which stops all threads and works alone,
 * copies and marks them; the threads share nothing, and depots and their versions are the same for any number of them.
 */
final class ParcelHistory {
    static final int DEPOTS = 16;
    static final int LEVELS = 6;
    static final int VERSIONS = 7500;

    static final class Node {
        Node a;
        Node b;
        Node c;
        Node d;
        int parcel;

        Node child(int way) {
            return way < 2 ? way == 0 ? a : b : way == 2 ? c : d;
        }

        void put(int way, Node node) {
            if (way == 0) a = node;
            else if (way == 1) b = node;
            else if (way == 2) c = node;
            else d = node;
        }
    }

    static final class Depot {
        final int number;
        Node root = new Node();
        final Node[] versions = new Node[VERSIONS];
        int version;
        long score;

        Depot(int number) {
            this.number = number;
        }

        void place(int shelf, int parcel) {
            Node node = root;
            for (int level = 0; level < LEVELS; level++) {
                int way = shelf >>> 2 * level & 3;
                Node next = node.child(way);
                if (next == null) {
                    next = new Node();
                    node.put(way, next);
                }
                node = next;
            }
            score += (long) node.parcel * 31 + parcel;
            node.parcel = parcel;
        }

        static Node copy(Node old) {
            Node node = new Node();
            if (old != null) {
                node.a = old.a;
                node.b = old.b;
                node.c = old.c;
                node.d = old.d;
                node.parcel = old.parcel;
            }
            return node;
        }

        void placeInNewVersion(int shelf, int parcel) {
            versions[version] = root;
            version = version + 1 == VERSIONS ? 0 : version + 1;
            root = copy(root);
            Node node = root;
            for (int level = 0; level < LEVELS; level++) {
                int way = shelf >>> 2 * level & 3;
                Node next = copy(node.child(way));
                node.put(way, next);
                node = next;
            }
            score += (long) node.parcel * 31 + parcel;
            node.parcel = parcel;
        }

        void scan(int scans, double dial) {
            double owed = 0;
            long x = number * 0x9E3779B97F4A7C15L + 99;
            for (int i = 0; i < scans; i++) {
                for (int hop = 0; hop < 250; hop++) {
                    x = x * 6364136223846793005L + (x >>> 33 | 1);
                }
                int shelf = (int) (x >>> 40) & 4095;
                owed += dial;
                if (owed >= 1) {
                    owed -= 1;
                    placeInNewVersion(shelf, i);
                } else {
                    place(shelf, i);
                }
            }
            score += x;
        }
    }

    /** Depots wait here for a clerk; one permit a depot. */
    static final Semaphore waiting = new Semaphore(0);

    static final Depot[] depots = new Depot[DEPOTS];
    static int next;

    static synchronized int take() {
        return next < DEPOTS ? next++ : -1;
    }

    public static void main(String[] words) throws InterruptedException {
        int threads = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int scans = Integer.parseInt(words[2]) / DEPOTS;
        Thread[] clerks = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            clerks[t] = new Thread() {
                @Override
                public void run() {
                    while (true) {
                        waiting.acquireUninterruptibly();
                        int number = take();
                        if (number < 0) {
                            waiting.release();
                            return;
                        }
                        depots[number].scan(scans, dial);
                    }
                }
            };
            clerks[t].start();
        }
        for (int i = 0; i < DEPOTS; i++) {
            depots[i] = new Depot(i);
        }
        waiting.release(DEPOTS + 1);
        long sum = 0;
        for (Thread clerk : clerks) {
            clerk.join();
        }
        for (Depot depot : depots) {
            sum = sum * 31 + depot.score;
        }
        System.out.println(Long.toHexString(sum));
    }
}
