import java.util.Arrays;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * Ranks the pages of a crawl by the links between them.
 *
 * <pre>PageRank THREADS DIAL WORK</pre>
 *
 * Pages are numbered in the order in which they were found, so that the first ones have the most links to them. Each
 * thread has a range of the pages for the whole run. The ranges are cut where the estimated cost is equal: a page costs
 * as much as it has links (dial 0), or all pages cost the same (dial 1), or a mean of both. WORK is the number of rounds.
 */
final class PageRank {
    private static final int PAGES = 16_000;
    private static final int LINKS = 12;
    private static final double DAMPING = 0.85;

    /** For each page the pages that link to it, one after the other. */
    private final int[] starts = new int[PAGES + 1];
    private final int[] sources = new int[PAGES * LINKS];
    private double[] rank = new double[PAGES];
    private double[] next = new double[PAGES];
    private final double[] share = new double[PAGES];
    private final int threads;
    private final int rounds;
    private final CyclicBarrier shared;
    private final CyclicBarrier ranked;

    private PageRank(int threads, int rounds) {
        this.threads = threads;
        this.rounds = rounds;
        shared = new CyclicBarrier(threads);
        ranked = new CyclicBarrier(threads, this::swap);
        crawl();
        Arrays.fill(rank, 1.0 / PAGES);
    }

    private void swap() {
        double[] old = rank;
        rank = next;
        next = old;
    }

    /** Every page links to LINKS others, the earlier ones preferred. */
    private void crawl() {
        int[] targets = new int[PAGES * LINKS];
        int state = 12345;
        for (int i = 0; i < targets.length; i++) {
            state = state * 1664525 + 1013904223;
            double drawn = (state >>> 8) / (double) (1 << 24);
            targets[i] = (int) (PAGES * drawn * drawn);
            starts[targets[i] + 1]++;
        }
        for (int page = 0; page < PAGES; page++) starts[page + 1] += starts[page];
        int[] filled = starts.clone();
        for (int i = 0; i < targets.length; i++) sources[filled[targets[i]]++] = i / LINKS;
    }

    /** Where the ranges begin, and the end of the last one. */
    private int[] cut(double flat) {
        int[] cuts = new int[threads + 1];
        double total = sources.length + 2.0 * PAGES;
        double sum = 0;
        int range = 1;
        for (int page = 0; page < PAGES && range < threads; page++) {
            sum += (1 - flat) * (starts[page + 1] - starts[page] + 2) + flat * total / PAGES;
            if (sum >= total * range / threads) cuts[range++] = page + 1;
        }
        cuts[threads] = PAGES;
        return cuts;
    }

    private void rank(int first, int last) {
        try {
            for (int round = 0; round < rounds; round++) {
                // Each page passes on what it has in equal shares.
                for (int page = first; page < last; page++) share[page] = rank[page] / LINKS;
                shared.await();
                for (int page = first; page < last; page++) {
                    double sum = 0;
                    for (int i = starts[page]; i < starts[page + 1]; i++) sum += share[sources[i]];
                    next[page] = (1 - DAMPING) / PAGES + DAMPING * sum;
                }
                ranked.await();
            }
        } catch (InterruptedException | BrokenBarrierException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        int threads = Integer.parseInt(args[0]);
        PageRank ranking = new PageRank(threads, Integer.parseInt(args[2]));
        int[] cuts = ranking.cut(Double.parseDouble(args[1]));
        Thread[] workers = new Thread[threads];
        for (int t = 0; t < threads; t++) {
            int first = cuts[t];
            int last = cuts[t + 1];
            workers[t] = new Thread(() -> ranking.rank(first, last), "ranker-" + t);
            workers[t].start();
        }
        for (Thread worker : workers) worker.join();
        double sum = 0;
        for (int page = 0; page < PAGES; page++) sum += ranking.rank[page] * (page % 97);
        System.out.printf("%.12f%n", sum);
    }
}
