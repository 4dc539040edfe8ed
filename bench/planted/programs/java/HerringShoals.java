import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sleeping lock: the echoes that research vessels heard are gathered to shoals of fish.
 *
 * <p>Workers take echoes by an atomic counter. A shoal's record is kept in a ConcurrentHashMap, and computed anew for
 * each echo by {@code compute}, in which the echo is followed through the layers of the water. The map calls that
 * function with the lock of the key's bin held, and who finds it held is parked. The dial is the share of the echoes
 * that belong to the one large shoal; all others are spread over some thousand small ones. Each echo costs the same,
 * some 400 us: too long for a lock to be waited for by spinning.
 */
final class HerringShoals {
    private static final int SHOALS = 3000;
    private static final int LAYERS = 160;
    private static final int BEAMS = 900;

    record Shoal(int echoes, long mass) {}

    private HerringShoals() {}

    /** Follows an echo down and up again, through layers with their own speed of sound. */
    static long mass(int echo, int[] layers) {
        int noise = echo * 0x9E3779B1 + 11;
        for (int layer = 0; layer < LAYERS; layer++) {
            noise = noise * 1664525 + 1013904223;
            layers[layer] = 1440 + (noise >>> 26);
        }
        long mass = 0;
        for (int beam = 1; beam <= BEAMS; beam++) {
            long slope = beam << 10;
            for (int layer = 0; layer < LAYERS; layer++) {
                slope += (slope * (layers[layer] - 1470) >> 9) + (slope >> 63 & 7);
                mass += slope >> 6 ^ layer;
            }
        }
        return mass & 0xFFFFFFFFL;
    }

    static int shoal(int echo) {
        return Work.picked(echo) ? 0 : 1 + (int) ((echo * 0x9E3779B97F4A7C15L >>> 33) % SHOALS);
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        var shoals = new ConcurrentHashMap<Integer, Shoal>(4 * SHOALS);
        var next = new AtomicInteger();
        var left = new AtomicInteger(Work.threads);
        Work.printSum(thread -> {
            int[] layers = new int[LAYERS];
            for (int echo = next.getAndIncrement(); echo < Work.work; echo = next.getAndIncrement()) {
                int number = echo;
                shoals.compute(shoal(echo), (key, before) -> {
                    long mass = mass(number, layers);
                    return before == null ? new Shoal(1, mass) : new Shoal(before.echoes() + 1, before.mass() + mass);
                });
            }
            long sum = 0;
            if (left.decrementAndGet() == 0) {
                for (Shoal shoal : shoals.values()) {
                    sum += shoal.mass() * 31 + shoal.echoes();
                }
            }
            return sum;
        });
    }
}
