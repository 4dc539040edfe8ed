import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Imbalance: the logbook of a diving club is checked against a decompression model of sixteen tissues.
 *
 * <p>The logbook is cut into one chapter of equally many dives for each thread. A dive to a wreck is long and slow to
 * check, a dive to the reef is done in no time. In the club's logbook they take turns. The dial is the share of the
 * wreck dives that were entered ahead of all others, so at a large dial the first chapters have more than their part
 * of the work. Order does not matter to the answer, and there are as many of each kind at any dial.
 */
final class DiveTables {
    private static final int TISSUES = 16;
    private static final int REEF_MINUTES = 4;
    private static final int WRECK_MINUTES = 160;

    enum Site { REEF, WRECK }

    record Dive(int number, Site site) {
        /** The highest load of any tissue, and the minutes that had to be waited on the way up. */
        long check() {
            double[] load = new double[TISSUES];
            java.util.Arrays.fill(load, 0.79);
            int bottom = site == Site.WRECK ? WRECK_MINUTES / 4 : REEF_MINUTES / 4;
            int minutes = 4 * bottom;
            double depth = 0;
            double worst = 0;
            int waited = 0;
            for (int minute = 0; minute < minutes; minute++) {
                depth = minute < bottom ? 18 + (number * 7 + minute * 3) % 23 : Math.max(0, depth - 0.3);
                double breathed = 0.79 * (1 + depth / 10);
                double highest = 0;
                for (int t = 0; t < TISSUES; t++) {
                    load[t] += (breathed - load[t]) / (6 + t * t * 2.5);
                    highest = Math.max(highest, load[t] / (1.6 + 0.9 / (t + 1)));
                }
                if (highest > 1 + depth / 10) {
                    waited++;
                    depth += 0.25;
                }
                worst = Math.max(worst, highest);
            }
            return (Double.doubleToLongBits(worst) >>> 12) * (number | 1) + waited;
        }
    }

    /** Writes the logbook: every second dive is a wreck's, but for those that stand at its front. */
    private static List<Dive> logbook(int dives, double ahead) {
        List<Dive> front = new ArrayList<>();
        List<Dive> rest = new ArrayList<>();
        int wrecks = dives / 2;
        int moved = (int) Math.round(wrecks * ahead);
        for (int w = 0; w < moved; w++) {
            front.add(new Dive(2 * w, Site.WRECK));
        }
        // What is left of the wrecks is spread over the reefs.
        int written = moved;
        for (int r = 0; r < dives - wrecks; r++) {
            rest.add(new Dive(2 * r + 1, Site.REEF));
            while ((long) (written - moved) * (dives - wrecks) < (long) (wrecks - moved) * (r + 1)) {
                rest.add(new Dive(2 * written++, Site.WRECK));
            }
        }
        front.addAll(rest);
        return front;
    }

    public static void main(String[] words) {
        int divers = Integer.parseInt(words[0]);
        List<Dive> book = logbook(Integer.parseInt(words[2]), Double.parseDouble(words[1]));
        ExecutorService club = Executors.newFixedThreadPool(divers);
        List<CompletableFuture<Long>> chapters = new ArrayList<>();
        for (long d = 0; d < divers; d++) {
            List<Dive> chapter =
                    book.subList((int) (book.size() * d / divers), (int) (book.size() * (d + 1) / divers));
            chapters.add(
                    CompletableFuture.supplyAsync(() -> chapter.stream().mapToLong(Dive::check).sum(), club));
        }
        long sum = chapters.stream().mapToLong(CompletableFuture::join).sum();
        club.shutdown();
        System.out.printf("%d dives, %016x%n", book.size(), sum);
    }
}
