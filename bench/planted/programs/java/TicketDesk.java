import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sells seats: clerks take groups of guests from a concurrent queue, search the plan of a hall for the best row for
 * them, and write the sale to the house's book.
 *
 * <p>The book is guarded by a ReentrantLock. The dial is the share of the groups (regular guests) that are seated while
 * the clerk holds the book; for the others the lock is held only to write the result. A seating takes some 100 us, and a
 * clerk who finds the book taken is parked: a sleeping lock. One thread does the same work at every dial.
 */
final class TicketDesk {
    private static final int SEATS = 60;
    private static final int HALL_ROWS = 40;

    record Group(int number, int size, boolean regular) {}

    /** The sales; all fields are guarded by the lock. */
    private static final class Book {
        final ReentrantLock lock = new ReentrantLock();
        int sales;
        long takings;

        void write(Group group, long seat) {
            sales++;
            takings += seat * 37 + group.size();
        }
    }

    private TicketDesk() {}

    /** The best place in the hall for a group, on the evening it asks for. */
    static long seat(Group group, int[] hall) {
        int noise = group.number() * 0x9E3779B1 + 5;
        for (int i = 0; i < hall.length; i++) {
            noise = noise * 1664525 + 1013904223;
            hall[i] = noise >>> 25;
        }
        long best = Long.MAX_VALUE;
        int size = group.size();
        for (int wish = 0; wish < 4; wish++) {
            for (int row = 0; row < HALL_ROWS; row++) {
                for (int first = 0; first + size <= SEATS; first++) {
                    long pain = 0;
                    for (int s = 0; s < size; s++) {
                        int taken = hall[row * SEATS + first + s];
                        pain += taken * (1 + (wish ^ s)) + Math.abs(first + s - SEATS / 2);
                    }
                    best = Math.min(best, (pain * (40 + row * wish) / size) << 12 | row * SEATS + first);
                }
            }
        }
        return best;
    }

    /** Serves guests until none are left. */
    private static final class Clerk extends Thread {
        private final ConcurrentLinkedQueue<Group> guests;
        private final Book book;
        private final CountDownLatch closed;

        Clerk(ConcurrentLinkedQueue<Group> guests, Book book, CountDownLatch closed) {
            this.guests = guests;
            this.book = book;
            this.closed = closed;
        }

        @Override
        public void run() {
            serve(guests, book);
            closed.countDown();
        }
    }

    static void serve(ConcurrentLinkedQueue<Group> guests, Book book) {
        int[] hall = new int[SEATS * HALL_ROWS];
        for (Group group = guests.poll(); group != null; group = guests.poll()) {
            if (group.regular()) {
                book.lock.lock();
                try {
                    book.write(group, seat(group, hall));
                } finally {
                    book.lock.unlock();
                }
            } else {
                long seat = seat(group, hall);
                book.lock.lock();
                try {
                    book.write(group, seat);
                } finally {
                    book.lock.unlock();
                }
            }
        }
    }

    public static void main(String[] words) throws InterruptedException {
        int threads = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int groups = Integer.parseInt(words[2]);
        ConcurrentLinkedQueue<Group> guests = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < groups; i++) {
            long chance = (i * 0xD6E8FEB86659FD93L + 99) >>> 40 & 0xFFFF;
            guests.add(new Group(i, 2 + i * 5 % 7, chance < dial * 0x10000));
        }
        Book book = new Book();
        CountDownLatch closed = new CountDownLatch(threads);
        for (int t = 0; t < threads; t++) {
            new Clerk(guests, book, closed).start();
        }
        closed.await();
        System.out.println(Long.toHexString(book.takings * 31 + book.sales));
    }
}
