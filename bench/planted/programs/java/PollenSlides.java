import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Pollen slides: counts pollen in the pixels of microscope slides. Threads take tiles by an atomic cursor, classify
 * the pixels and count them in slots of their own. The dial is the share of the pixels that a thread counts in its
 * narrow slot, which lies beside the other threads' narrow slots in one cache line, and not in its wide slot, which has
 * lines of its own. No two threads write the same slot: the line goes back and forth only because of its neighbours.
 */
final class PollenSlides extends Thread {
    static final int TILE = 4096;
    static final int APART = 64;
    static final int MOST = 64;

    static final AtomicInteger cursor = new AtomicInteger();
    /** First the wide slots, one every APART longs; after them the narrow slots, one beside the other. */
    static final AtomicLongArray slots = new AtomicLongArray(APART * (MOST + 4));

    static int tiles;
    static long limit;

    final int wide;
    final int narrow;

    PollenSlides(int number) {
        wide = APART * (number + 1);
        narrow = APART * (MOST + 2) + 8 + number;
    }

    /** How much pollen a pixel shows: its brightness against three thresholds. */
    static long grains(int bright) {
        if (bright < 900) {
            return bright < 300 ? 7 : 1;
        }
        return bright < 980 ? 3 : 12;
    }

    static void tile(int tile, int wide, int narrow, long limit) {
        long x = tile * 0x9E3779B97F4A7C15L + 7;
        for (int pixel = 0; pixel < TILE; pixel++) {
            int light = 0;
            for (int tap = 0; tap < 8; tap++) {
                x = x * 6364136223846793005L + (x >>> 33 | 1);
                light += (int) (x >>> 57);
            }
            int picked = (int) ((x >>> 11 & 0xFFFFF) - limit >> 63);
            slots.getAndAdd(wide + (picked & narrow - wide), grains(light + 200));
        }
    }

    @Override
    public void run() {
        while (true) {
            int tile = cursor.getAndIncrement();
            if (tile >= tiles) {
                return;
            }
            tile(tile, wide, narrow, limit);
        }
    }

    public static void main(String[] words) throws InterruptedException {
        int threads = Integer.parseInt(words[0]);
        limit = (long) (Double.parseDouble(words[1]) * (1 << 20));
        tiles = Integer.parseInt(words[2]);
        PollenSlides[] all = new PollenSlides[threads];
        for (int t = 0; t < threads; t++) {
            all[t] = new PollenSlides(t);
            all[t].start();
        }
        long sum = 0;
        for (int t = 0; t < threads; t++) {
            all[t].join();
            sum += slots.get(all[t].wide) + slots.get(all[t].narrow);
        }
        System.out.println(sum);
    }
}
