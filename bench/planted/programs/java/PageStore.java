import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Sleeping lock: a key-value store that checks each page before it answers, under one lock for readers and writers.
 *
 * <p>A request is decoded without the lock, and then checks the records of a page. The dial is the share of the requests
 * that change their page, by one stamp, and so need the lock for themselves; all others hold it together. A check takes
 * about 60 us, and who finds the lock taken is parked. Pages are small beside what their check computes.
 */
final class PageStore {
    private static final int PAGES = 64;
    private static final int RECORDS = 500;
    private static final int REQUEST = 15_000;
    private static final int CHECK = 90;

    private final long[][] pages = new long[PAGES][RECORDS];
    private final int[] stamps = new int[PAGES];
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

    private PageStore() {
        for (int page = 0; page < PAGES; page++) {
            for (int record = 0; record < RECORDS; record++) {
                pages[page][record] = (page * 31L + record) * 0x9E3779B97F4A7C15L;
            }
        }
    }

    private long checked(int page) {
        long check = 0;
        for (long record : pages[page]) {
            long bits = record;
            for (int i = 0; i < CHECK; i++) {
                bits = bits >>> 1 ^ (-(bits & 1) & 0xC96C5795D7870F42L);
            }
            check += bits;
        }
        return check;
    }

    private long answered(int request) {
        int page = (int) (Work.unit(request, REQUEST) >>> 58);
        boolean changes = Work.picked(request);
        Lock needed = changes ? lock.writeLock() : lock.readLock();
        needed.lock();
        try {
            if (changes) {
                stamps[page] = request;
            }
            return checked(page);
        } finally {
            needed.unlock();
        }
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        PageStore store = new PageStore();
        Work.printSum(
                thread -> {
                    long sum = 0;
                    for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
                        sum += store.answered(i);
                    }
                    return sum;
                });
    }
}
