import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sleeping lock: an order desk prices orders, and books them in one book behind a ReentrantLock.
 *
 * <p>The dial is the share of the orders that are priced while the book is locked, as for prices that must not move
 * until the order is in; the others are priced before. Pricing takes about 80 us and is the same work in both cases. A
 * thread that finds the book locked is parked. All accounts are there from the start, so next to nothing is allocated.
 */
final class OrderDesk {
    private static final int PATHS = 48;
    private static final int DAYS = 400;
    private static final int ACCOUNTS = 64;
    private static final int SHEET = 16;

    private static final class Account {
        long cash;
        long orders;
    }

    private static final class Book {
        private final ReentrantLock lock = new ReentrantLock();
        private final Map<Integer, Account> accounts = new HashMap<>();

        Book() {
            for (int i = 0; i < ACCOUNTS; i++) {
                accounts.put(i, new Account());
            }
        }

        void enter(int account, long price) {
            lock.lock();
            try {
                add(account, price);
            } finally {
                lock.unlock();
            }
        }

        void enterAtPriceOf(int order) {
            lock.lock();
            try {
                add(order % ACCOUNTS, price(order));
            } finally {
                lock.unlock();
            }
        }

        private void add(int account, long price) {
            Account one = accounts.get(account);
            one.cash += price;
            one.orders++;
        }

        long total() {
            long sum = 0;
            for (Account one : accounts.values()) {
                sum = sum * 31 + one.cash * one.orders;
            }
            return sum;
        }
    }

    /** The mean gain of an option over random paths, in integers. */
    private static long price(int order) {
        long random = order * 0x9E3779B97F4A7C15L + 1;
        long gain = 0;
        for (int path = 0; path < PATHS; path++) {
            int level = 10_000;
            for (int day = 0; day < DAYS; day++) {
                random ^= random << 13;
                random ^= random >>> 7;
                random ^= random << 17;
                level += (int) ((random & 127) - 63) * (level >> 9) >> 6;
            }
            gain += Math.max(0, level - 10_000);
        }
        return gain / PATHS + 1;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        BlockingQueue<Integer> sheets = new ArrayBlockingQueue<>(Work.work / SHEET + 1 + Work.threads);
        for (int at = 0; at < Work.work; at += SHEET) {
            sheets.add(at);
        }
        for (int t = 0; t < Work.threads; t++) {
            sheets.add(-1);
        }
        Book book = new Book();
        Thread[] clerks = new Thread[Work.threads];
        for (int t = 0; t < clerks.length; t++) {
            clerks[t] = new Clerk(sheets, book);
            clerks[t].start();
        }
        for (Thread clerk : clerks) {
            clerk.join();
        }
        System.out.println(Long.toHexString(book.total()));
    }

    private static final class Clerk extends Thread {
        private final BlockingQueue<Integer> sheets;
        private final Book book;

        Clerk(BlockingQueue<Integer> sheets, Book book) {
            this.sheets = sheets;
            this.book = book;
        }

        @Override
        public void run() {
            serve(sheets, book);
        }
    }

    private static void serve(BlockingQueue<Integer> sheets, Book book) {
        try {
            for (int at = sheets.take(); at >= 0; at = sheets.take()) {
                for (int order = at; order < Math.min(at + SHEET, Work.work); order++) {
                    if (Work.picked(order)) {
                        book.enterAtPriceOf(order);
                    } else {
                        book.enter(order % ACCOUNTS, price(order));
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
