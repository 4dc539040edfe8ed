import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;

/**
 * Works out electricity bills: each customer's contract has a formula as text, which is parsed into a tree, folded where
 * it is constant, and evaluated for every hour of a few days. Tasks halve the range of customers until it is small.
 *
 * <p>A decoy, which looks like garbage collection but has no cause. The dial is the share of the customers whose trees
 * and curves are new objects, not those of a drawer that the thread uses again: hundreds of megabytes in all, and a
 * collection every few milliseconds. But all is garbage by then, so a collection finds next to nothing and is soon over.
 */
public final class TariffFormulas {
    private static final int HOURS = 24;
    private static final int SMALL = 64;
    private static final int DEPTH = 4;

    private static double dial;

    private TariffFormulas() {}

    private static long mixed(long x) {
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return x ^ x >>> 32;
    }

    /** A number, a variable or two formulas with an operator between them. */
    private static final class Formula {
        char kind;
        long value;
        Formula left;
        Formula right;
        Curve curve;
    }

    /** Values of a formula for the hours of a day. */
    private static final class Curve {
        final long[] values = new long[HOURS];
    }

    /** Where formulas and curves come from: new, or used again. */
    private static final class Drawer {
        private final Formula[] formulas = new Formula[256];
        private final Curve[] curves = new Curve[256];
        private int used;
        private boolean fresh;

        Drawer() {
            for (int i = 0; i < formulas.length; i++) {
                formulas[i] = new Formula();
                curves[i] = new Curve();
            }
        }

        void open(boolean withNewThings) {
            fresh = withNewThings;
            used = 0;
        }

        Formula formula(char kind, long value, Formula left, Formula right) {
            Formula one = fresh ? new Formula() : formulas[used];
            one.kind = kind;
            one.value = value;
            one.left = left;
            one.right = right;
            one.curve = fresh ? new Curve() : curves[used++];
            return one;
        }
    }

    /** A recursive-descent parser of what {@link #write} writes. */
    private static final class Parser {
        final byte[] text = new byte[4096];
        int end;
        private int at;

        void write(long seed, int depth) {
            if (depth == 0) {
                if ((seed & 3) != 0) {
                    text[end++] = (byte) "hpmt".charAt((int) (seed >>> 8 & 3));
                } else {
                    for (int digit = 0; digit < 4; digit++) {
                        text[end++] = (byte) ('0' + (seed >>> 8 * digit + 8 & 7));
                    }
                }
                return;
            }
            text[end++] = '(';
            write(mixed(seed * 2 + 1), depth - 1);
            text[end++] = (byte) "+-*^".charAt((int) (seed >>> 20 & 3));
            write(mixed(seed * 2 + 2), depth - 1);
            text[end++] = ')';
        }

        Formula parse(Drawer drawer) {
            at = 0;
            return operand(drawer);
        }

        private Formula operand(Drawer drawer) {
            byte c = text[at++];
            if (c == '(') {
                Formula left = operand(drawer);
                char operator = (char) text[at++];
                Formula right = operand(drawer);
                at++;
                if (left.kind == '0' && right.kind == '0') {
                    return drawer.formula('0', applied(operator, left.value, right.value), null, null);
                }
                return drawer.formula(operator, 0, left, right);
            }
            if (c >= 'a') {
                return drawer.formula((char) c, 0, null, null);
            }
            long value = c - '0';
            while (text[at] >= '0' && text[at] <= '9') {
                value = value * 10 + text[at++] - '0';
            }
            return drawer.formula('0', value, null, null);
        }
    }

    private static long applied(char operator, long a, long b) {
        return switch (operator) {
            case '+' -> a + b;
            case '-' -> a - b;
            case '*' -> (a * b) >> 3;
            default -> Math.max(a, b);
        };
    }

    private static Curve evaluated(Formula formula, long customer, int day) {
        Curve result = formula.curve;
        long[] values = result.values;
        if (formula.left == null) {
            for (int hour = 0; hour < HOURS; hour++) {
                values[hour] = switch (formula.kind) {
                    case 'h' -> hour;
                    case 'p' -> (customer * 31 + hour * 17 + day) & 255;
                    case 'm' -> day * 24 + hour;
                    case 't' -> 400 - (hour - 13) * (hour - 13);
                    default -> formula.value;
                };
            }
            return result;
        }
        long[] left = evaluated(formula.left, customer, day).values;
        long[] right = evaluated(formula.right, customer, day).values;
        for (int hour = 0; hour < HOURS; hour++) {
            values[hour] = applied(formula.kind, left[hour], right[hour]);
        }
        return result;
    }

    /** Bills a range of customers. */
    private static final class Bills extends RecursiveTask<Long> {
        private static final long serialVersionUID = 1;
        private static final ThreadLocal<Drawer> DRAWERS = new ThreadLocal<>() {
            @Override
            protected Drawer initialValue() {
                return new Drawer();
            }
        };
        private static final ThreadLocal<Parser> PARSERS = new ThreadLocal<>() {
            @Override
            protected Parser initialValue() {
                return new Parser();
            }
        };

        private final int from;
        private final int to;

        Bills(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected Long compute() {
            if (to - from > SMALL) {
                Bills later = new Bills((from + to) >>> 1, to);
                later.fork();
                long sum = new Bills(from, (from + to) >>> 1).compute();
                return sum + later.join();
            }
            Drawer drawer = DRAWERS.get();
            Parser parser = PARSERS.get();
            long sum = 0;
            for (int customer = from; customer < to; customer++) {
                sum += mixed(bill(customer, drawer, parser));
            }
            return sum;
        }

        private static long bill(int customer, Drawer drawer, Parser parser) {
            long seed = mixed((customer + 1) * 0x9E3779B97F4A7C15L);
            drawer.open((mixed(seed) >>> 11) * 0x1p-53 < dial);
            parser.end = 0;
            parser.write(seed, DEPTH);
            Formula formula = parser.parse(drawer);
            long owed = 0;
            for (int day = 0; day < 8; day++) {
                long[] values = evaluated(formula, customer, day).values;
                for (int hour = 0; hour < HOURS; hour++) {
                    owed = owed * 3 + values[hour] * (hour + 1);
                }
            }
            return owed;
        }
    }

    public static void main(String[] words) {
        int threads = Integer.parseInt(words[0]);
        dial = Double.parseDouble(words[1]);
        int customers = Integer.parseInt(words[2]);
        ForkJoinPool pool = new ForkJoinPool(threads);
        long sum = pool.invoke(new Bills(0, customers));
        pool.shutdown();
        System.out.println(Long.toHexString(sum));
    }
}
