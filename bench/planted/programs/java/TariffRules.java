import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Tariff rules: evaluates formulas of an electricity tariff for the readings of meters, which come in batches through
 * a bounded queue. The dial is the share of the readings for which the formula is parsed again into a fresh tree of
 * small objects, and not taken from the thread's own parsed formulas. It is a decoy: at full dial it allocates 150
 * megabytes and the collector runs eleven times, but the trees are dead at once, so that a collection finds nothing to
 * copy and takes well below a millisecond; it scales well at every dial.
 */
final class TariffRules {
    static final String[] FORMULAS = {"3*r+(r-7)*(2+r)*5-h*(r+4)", "(h+2)*(r*6-9)+r*(3-h)*(r+1)",
        "r*r*2-(h-8)*(r+5)+(4*h+r)*3", "((r+1)*(h+3)-2*r)*(h-r)+7"};
    static final int BATCH = 500;

    static final class Node {
        final char kind;
        final long value;
        final Node left;
        final Node right;

        Node(char kind, long value, Node left, Node right) {
            this.kind = kind;
            this.value = value;
            this.left = left;
            this.right = right;
        }

        long of(long reading, long hour) {
            switch (kind) {
                case '+': return left.of(reading, hour) + right.of(reading, hour);
                case '-': return left.of(reading, hour) - right.of(reading, hour);
                case '*': return left.of(reading, hour) * right.of(reading, hour);
                case 'r': return reading;
                case 'h': return hour;
                default: return value;
            }
        }
    }

    /** A parser by recursive descent. */
    static final class Parser {
        final String text;
        int at;

        Parser(String text) {
            this.text = text;
        }

        Node sum() {
            Node node = product();
            while (at < text.length() && (text.charAt(at) == '+' || text.charAt(at) == '-')) {
                char kind = text.charAt(at++);
                node = new Node(kind, 0, node, product());
            }
            return node;
        }

        Node product() {
            Node node = factor();
            while (at < text.length() && text.charAt(at) == '*') {
                at++;
                node = new Node('*', 0, node, factor());
            }
            return node;
        }

        Node factor() {
            char kind = text.charAt(at++);
            if (kind == '(') {
                Node node = sum();
                at++;
                return node;
            }
            return kind == 'r' || kind == 'h' ? new Node(kind, 0, null, null) : new Node('0', kind - '0', null, null);
        }
    }

    static final class Clerk extends Thread {
        final BlockingQueue<Integer> batches;
        final double dial;
        long due;

        Clerk(BlockingQueue<Integer> batches, double dial) {
            this.batches = batches;
            this.dial = dial;
        }

        void bill(int batch, Node[] parsed) {
            long x = batch * 0x9E3779B97F4A7C15L + 5;
            double owed = 0;
            for (int i = 0; i < BATCH; i++) {
                x = x * 6364136223846793005L + (x >>> 33 | 1);
                int which = (int) (x >>> 60) & 3;
                owed += dial;
                Node formula = parsed[which];
                if (owed >= 1) {
                    owed -= 1;
                    formula = new Parser(FORMULAS[which]).sum();
                }
                long reading = x >>> 50;
                for (int hour = 0; hour < 24; hour++) {
                    due += formula.of(reading + hour, hour);
                }
            }
        }

        @Override
        public void run() {
            Node[] parsed = new Node[FORMULAS.length];
            for (int i = 0; i < FORMULAS.length; i++) {
                parsed[i] = new Parser(FORMULAS[i]).sum();
            }
            try {
                for (int batch = batches.take(); batch >= 0; batch = batches.take()) {
                    bill(batch, parsed);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    public static void main(String[] words) throws InterruptedException {
        int threads = Integer.parseInt(words[0]);
        double dial = Double.parseDouble(words[1]);
        int batches = Integer.parseInt(words[2]);
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(64);
        Clerk[] clerks = new Clerk[threads];
        for (int t = 0; t < threads; t++) {
            clerks[t] = new Clerk(queue, dial);
            clerks[t].start();
        }
        for (int batch = 0; batch < batches; batch++) {
            queue.put(batch);
        }
        long sum = 0;
        for (int t = 0; t < threads; t++) {
            queue.put(-1);
        }
        for (Clerk clerk : clerks) {
            clerk.join();
            sum += clerk.due;
        }
        System.out.println(Long.toHexString(sum));
    }
}
