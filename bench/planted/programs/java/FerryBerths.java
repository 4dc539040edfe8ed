import java.util.concurrent.locks.ReentrantLock;

/**
 * Sleeping lock: a harbour plans which berth each ferry gets.
 *
 * <p>For every day, the arrivals are sorted and the berths given out in their order. Days in the season are planned by
 * the one that holds the harbour's one plan, a lock that is kept while the whole day is planned; the others are planned
 * without it. The dial is the share of the days that are in the season. A day takes about 100 us, so a thread that
 * finds the plan taken sleeps.
 */
final class FerryBerths {
    private static final int FERRIES = 700;
    private static final int BERTHS = 12;

    private static final ReentrantLock PLAN = new ReentrantLock();
    private static long seasonDelay;

    private final int[] arrivals = new int[FERRIES];
    private final int[] freeAt = new int[BERTHS];

    private void sort() {
        for (int gap : new int[] {301, 132, 57, 23, 10, 4, 1}) {
            for (int i = gap; i < FERRIES; i++) {
                int moved = arrivals[i];
                int at = i;
                while (at >= gap && arrivals[at - gap] > moved) {
                    arrivals[at] = arrivals[at - gap];
                    at -= gap;
                }
                arrivals[at] = moved;
            }
        }
    }

    /** Plans a day, and returns by how much its ferries are late in all. */
    private long plan(int day) {
        long weather = day * 0x9E3779B97F4A7C15L + 11;
        for (int i = 0; i < FERRIES; i++) {
            weather ^= weather << 13;
            weather ^= weather >>> 7;
            weather ^= weather << 17;
            arrivals[i] = (int) (weather >>> 20) & 0xffff;
        }
        sort();
        java.util.Arrays.fill(freeAt, 0);
        long delay = 0;
        for (int arrival : arrivals) {
            int berth = 0;
            for (int other = 1; other < BERTHS; other++) {
                if (freeAt[other] < freeAt[berth]) {
                    berth = other;
                }
            }
            int begins = Math.max(arrival, freeAt[berth]);
            delay += begins - arrival;
            freeAt[berth] = begins + 700 + arrival % 900;
        }
        return delay;
    }

    private long planDays(int from, int to) {
        long delay = 0;
        for (int day = from; day < to; day++) {
            if (!Work.picked(day)) {
                delay += plan(day);
                continue;
            }
            PLAN.lock();
            try {
                seasonDelay += plan(day);
            } finally {
                PLAN.unlock();
            }
        }
        return delay;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Thread[] clerks = new Thread[Work.threads];
        long[] delays = new long[Work.threads];
        for (int t = 0; t < clerks.length; t++) {
            int clerk = t;
            clerks[t] = new Thread(() -> delays[clerk] = new FerryBerths().planDays(Work.first(clerk), Work.first(clerk + 1)));
            clerks[t].start();
        }
        long total = 0;
        for (int t = 0; t < clerks.length; t++) {
            clerks[t].join();
            total += delays[t];
        }
        System.out.println("minutes late: " + (total + seasonDelay));
    }
}
