import java.util.ArrayDeque;

/**
 * Follows hikers in a park by their receivers, and adds up how far they walk.
 *
 * <p>usage: Trails THREADS DIAL HIKERS
 *
 * <p>A hiker sends a fix every minute. The trail of a hiker who shares it is kept as a row of fixes, and the last trails
 * of all stay in memory, for the map at the entrance. Of all other hikers only the last fix is kept. DIAL is the share
 * of the hikers who share their trail. Printed is the sum in units of a thousandth.
 */
final class Trails {
    private static final int FIXES = 40;
    private static final int ON_THE_MAP = 5000;

    private static int threads;
    private static double dial;

    private record Fix(int x, int y) {}

    private static long apart(int x, int y, int otherX, int otherY) {
        double dx = x - otherX;
        double dy = y - otherY;
        return (long) (1000 * Math.sqrt(dx * dx + dy * dy));
    }

    /** A hiker on the way. */
    private static final class Hiker {
        private long mood;
        int x;
        int y;

        void start(int number) {
            mood = mixed(number);
            x = (int) (mood >>> 50);
            y = (int) (mood >>> 36) & 0x3FFF;
        }

        /** Walk on for a minute, in steps. */
        void walk() {
            for (int step = 0; step < 10; step++) {
                mood = mood * 6364136223846793005L + 1442695040888963407L;
                x += (int) (mood >>> 61) - 3;
                y += (int) (mood >>> 58 & 7) - 3;
            }
        }
    }

    /** One ranger follows a part of the hikers. */
    private static final class Ranger extends Thread {
        private final int from;
        private final int to;
        private final ArrayDeque<Fix[]> map = new ArrayDeque<>();
        private final Hiker hiker = new Hiker();
        long walked;

        Ranger(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        public void run() {
            long sum = 0;
            for (int number = from; number < to; number++) {
                hiker.start(number);
                boolean shares = (mixed(number ^ 0x7A1) >>> 11) * 0x1p-53 < dial;
                sum += shares ? recorded() : unrecorded();
            }
            walked = sum;
        }

        private long recorded() {
            Fix[] trail = new Fix[FIXES];
            trail[0] = new Fix(hiker.x, hiker.y);
            long length = 0;
            for (int i = 1; i < FIXES; i++) {
                hiker.walk();
                Fix last = trail[i - 1];
                trail[i] = new Fix(hiker.x, hiker.y);
                length += apart(hiker.x, hiker.y, last.x, last.y);
            }
            map.add(trail);
            if (map.size() > ON_THE_MAP / threads) {
                map.remove();
            }
            return length;
        }

        private long unrecorded() {
            long length = 0;
            for (int i = 1; i < FIXES; i++) {
                int x = hiker.x;
                int y = hiker.y;
                hiker.walk();
                length += apart(hiker.x, hiker.y, x, y);
            }
            return length;
        }
    }

    private static long mixed(long number) {
        long x = (number + 1) * 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return x ^ x >>> 29;
    }

    public static void main(String[] words) throws InterruptedException {
        threads = Integer.parseInt(words[0]);
        dial = Double.parseDouble(words[1]);
        int hikers = Integer.parseInt(words[2]);
        Ranger[] rangers = new Ranger[threads];
        for (int t = 0; t < threads; t++) {
            int from = (int) ((long) hikers * t / threads);
            int to = (int) ((long) hikers * (t + 1) / threads);
            rangers[t] = new Ranger(from, to);
            rangers[t].start();
        }
        long walked = 0;
        for (Ranger ranger : rangers) {
            ranger.join();
            walked += ranger.walked;
        }
        System.out.println(walked);
    }
}
