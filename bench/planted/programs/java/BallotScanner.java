import java.util.concurrent.atomic.AtomicLong;

/**
 * True sharing: scanned ballots of an election with ranked choices.
 *
 * <p>A ballot's marks are read into an order of the candidates, and smudged ballots are put aside. The dial is the share
 * of the ballots that come from polling stations with a display outside: each of them is added to the display's total at
 * once, an atomic number that all scanners add to. The other ballots go to the scanner's own total.
 */
public final class BallotScanner extends Thread {
    private static final int CANDIDATES = 12;
    private static final AtomicLong DISPLAY = new AtomicLong();

    private final double live;
    private final long from;
    private final long to;
    private long rankings;

    private BallotScanner(double live, long from, long to) {
        this.live = live;
        this.from = from;
        this.to = to;
    }

    @Override
    public void run() {
        // Made here, so that it is of this thread's own memory.
        Pile pile = new Pile((long) (live * 0x100000));
        for (long serial = from; serial < to; serial++) {
            pile.scan(serial);
        }
        rankings = pile.rankings;
        DISPLAY.addAndGet(pile.valid);
    }

    /** What one scanner has read. */
    private static final class Pile {
        private final long live;
        private long rankings;
        private long valid;

        Pile(long live) {
            this.live = live;
        }

        /** Reads one ballot: a permutation that is drawn from its serial number, with some marks missing. */
        void scan(long serial) {
            long marks = (serial + 1) * 0x9E3779B97F4A7C15L;
            marks = (marks ^ marks >>> 30) * 0xBF58476D1CE4E5B9L;
            marks ^= marks >>> 27;
            boolean displayed = (marks >>> 11 & 0xFFFFF) < live;
            long order = 0xBA9876543210L;
            long ranked = 0;
            long rest = marks;
            for (int left = CANDIDATES; left > CANDIDATES - 7; left--) {
                int at = (int) ((rest >>> 33) % left) * 4;
                long who = order >>> at & 15;
                order = order & (1L << at) - 1 | order >>> at + 4 << at;
                ranked = ranked << 4 | who;
                rest = rest * 6364136223846793005L + 1442695040888963407L;
            }
            rankings += ranked * (serial % 31 + 1);
            long counts = 1 + (ranked & 1);
            if (displayed) {
                DISPLAY.addAndGet(counts);
                DISPLAY.addAndGet(ranked & 3);
            } else {
                valid += counts + (ranked & 3);
            }
        }
    }

    public static void main(String[] words) throws InterruptedException {
        int scanners = Integer.parseInt(words[0]);
        double live = Double.parseDouble(words[1]);
        long ballots = Long.parseLong(words[2]);
        BallotScanner[] hall = new BallotScanner[scanners];
        for (int s = 0; s < scanners; s++) {
            hall[s] = new BallotScanner(live, ballots * s / scanners, ballots * (s + 1) / scanners);
            hall[s].start();
        }
        long rankings = 0;
        for (BallotScanner scanner : hall) {
            scanner.join();
            rankings += scanner.rankings;
        }
        System.out.println(Long.toHexString(rankings));
        System.out.println(DISPLAY.get());
    }
}
