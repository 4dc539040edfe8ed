import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Pottery: plans the firing of pots by a common book of glazes.
 *
 * <pre>java Pottery THREADS DIAL POTS</pre>
 *
 * <p>The plan of a pot follows from its glaze and from the heat of the kiln over time. Many may read the book at once.
 * The dial is the share of the pots with a glaze on trial: what was planned is noted in the book, and nobody else may
 * use the book from the plan to the note.
 */
final class Pottery {
    private static final int GLAZES = 64;
    private static final int MINUTES = 30000;

    /** The book: how each glaze reacts to heat, and notes. */
    private static final class Book {
        final int[] reaction = new int[GLAZES];
        final ReadWriteLock lock = new ReentrantReadWriteLock();
        long notes;
        int noted;

        Book() {
            for (int glaze = 0; glaze < GLAZES; glaze++) {
                reaction[glaze] = glaze * 7919 % 1009 + 1;
            }
        }

        /** Returns the heat that a pot has taken up at the end of its firing. */
        long plan(int pot) {
            long heat = pot * 2654435761L & 0xFFFF;
            int glaze = reaction[pot % GLAZES];
            for (int minute = 0; minute < MINUTES; minute++) {
                heat = heat * glaze + (heat >>> 17) + minute;
            }
            return heat;
        }

        long read(int pot) {
            Lock reading = lock.readLock();
            reading.lock();
            try {
                return plan(pot);
            } finally {
                reading.unlock();
            }
        }

        long tried(int pot) {
            Lock writing = lock.writeLock();
            writing.lock();
            try {
                long heat = plan(pot);
                notes ^= heat;
                noted++;
                return heat;
            } finally {
                writing.unlock();
            }
        }
    }

    public static void main(String[] words) throws Exception {
        Work.arguments(words);
        Book book = new Book();
        AtomicInteger next = new AtomicInteger();
        Callable<Long> potter = () -> {
            long heat = 0;
            for (int pot = next.getAndIncrement(); pot < Work.work; pot = next.getAndIncrement()) {
                heat += (Work.picked(pot) ? book.tried(pot) : book.read(pot)) * (pot + 1L);
            }
            return heat;
        };
        ExecutorService potters = Executors.newFixedThreadPool(Work.threads);
        List<Callable<Long>> crew = Collections.nCopies(Work.threads, potter);
        long total = 0;
        for (Future<Long> planned : potters.invokeAll(crew)) {
            total += planned.get();
        }
        potters.shutdown();
        System.out.println(Work.work + " pots, " + Long.toHexString(total));
        if (book.noted > Work.work) {
            System.out.println("notes: " + book.notes);
        }
    }
}
