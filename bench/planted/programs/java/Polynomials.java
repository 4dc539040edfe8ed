/**
 * Garbage collection: evaluates sparse polynomials of 50 terms at 4 points each.
 *
 * <p>The dial is the share of the polynomials whose terms are a linked list of new objects; all others have them in two
 * arrays that the thread keeps. The last 2400 lists stay reachable, so each collection has to copy them, node by node,
 * and no thread runs meanwhile. The command chooses a collector with a single thread and a small young generation.
 * The program takes no lock, and each thread has its own part of what stays reachable.
 */
final class Polynomials {
    private static final int TERMS = 50;
    private static final int POINTS = 4;
    private static final int REACHABLE = 2400;

    private record Term(int step, long factor, Term lower) {}

    /** Multiplies by the point's power of a step from 1 to 4. */
    private static long raised(long value, long point, int step) {
        long square = point * point;
        return switch (step) {
            case 1 -> value * point;
            case 2 -> value * square;
            case 3 -> value * square * point;
            default -> value * square * square;
        };
    }

    private static int drawn(int random) {
        return random * 1664525 + 1013904223;
    }

    private static Term listed(int number) {
        Term highest = null;
        int random = number;
        for (int term = 0; term < TERMS; term++) {
            random = drawn(random);
            highest = new Term(1 + (random >>> 30), random >> 8, highest);
        }
        return highest;
    }

    private static long evaluated(Term highest, long point) {
        long value = 0;
        for (Term term = highest; term != null; term = term.lower()) {
            value = raised(value, point, term.step()) + term.factor();
        }
        return value;
    }

    private static void fill(int number, int[] steps, long[] factors) {
        int random = number;
        for (int term = TERMS - 1; term >= 0; term--) {
            random = drawn(random);
            steps[term] = 1 + (random >>> 30);
            factors[term] = random >> 8;
        }
    }

    private static long evaluated(int[] steps, long[] factors, long point) {
        long value = 0;
        for (int term = 0; term < TERMS; term++) {
            value = raised(value, point, steps[term]) + factors[term];
        }
        return value;
    }

    private static long sum(int thread) {
        Term[] reachable = new Term[REACHABLE / Work.threads];
        // Longer than needed: two threads do not write to one line.
        int[] steps = new int[TERMS + 64];
        long[] factors = new long[TERMS + 64];
        long sum = 0;
        int next = 0;
        for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
            if (Work.picked(i)) {
                Term highest = listed(i);
                reachable[next++ % reachable.length] = highest;
                for (int point = 0; point < POINTS; point++) {
                    sum += evaluated(highest, point * 2 + 3);
                }
            } else {
                fill(i, steps, factors);
                for (int point = 0; point < POINTS; point++) {
                    sum += evaluated(steps, factors, point * 2 + 3);
                }
            }
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(Polynomials::sum);
    }
}
