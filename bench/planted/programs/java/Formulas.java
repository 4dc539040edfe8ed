/**
 * Garbage collection: a spreadsheet that parses formulas of 64 numbers, and evaluates them.
 *
 * <p>The dial is the share of the formulas that become trees, which a cache then keeps; all others are evaluated while
 * they are parsed, and allocate nothing. The cache has the last 3000 trees, of 127 small nodes each, so every collection
 * has much to copy, by a single thread, while all others stop. Each thread has its own part of the cache: there is no
 * lock.
 */
final class Formulas {
    private static final int DEPTH = 6;
    private static final int CACHED = 3000;

    private record Node(byte operator, Node left, Node right, long value) {
        long evaluated() {
            return left == null ? value : applied(operator, left.evaluated(), right.evaluated());
        }
    }

    // What a thread writes lies amid unused space, since a collection moves the objects of all threads together.
    private static final int AMID = 128;
    private static final int AT = 64;
    private static final int SEED = 65;

    private final byte[] text = new byte[1024];
    private final int[] state = new int[128];

    private static long applied(byte operator, long left, long right) {
        return operator == '+' ? left + right : operator == '-' ? left - right : left * right;
    }

    private int drawn(int below) {
        state[SEED] = state[SEED] * 1664525 + 1013904223;
        return (state[SEED] >>> 16) % below;
    }

    private void write(int depth) {
        if (depth == 0) {
            text[state[AT]++] = (byte) ('0' + drawn(10));
            return;
        }
        text[state[AT]++] = '(';
        write(depth - 1);
        text[state[AT]++] = (byte) "+-*".charAt(drawn(3));
        write(depth - 1);
        text[state[AT]++] = ')';
    }

    private long evaluated() {
        byte first = text[state[AT]++];
        if (first != '(') {
            return first - '0';
        }
        long left = evaluated();
        byte operator = text[state[AT]++];
        long right = evaluated();
        state[AT]++;
        return applied(operator, left, right);
    }

    private Node parsed() {
        byte first = text[state[AT]++];
        if (first != '(') {
            return new Node(first, null, null, first - '0');
        }
        Node left = parsed();
        byte operator = text[state[AT]++];
        Node right = parsed();
        state[AT]++;
        return new Node(operator, left, right, 0);
    }

    private long sum(int thread) {
        Node[] cache = new Node[CACHED / Work.threads];
        long sum = 0;
        int next = 0;
        for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
            state[SEED] = i;
            state[AT] = AMID;
            write(DEPTH);
            state[AT] = AMID;
            if (Work.picked(i)) {
                Node tree = parsed();
                cache[next++ % cache.length] = tree;
                sum += tree.evaluated();
            } else {
                sum += evaluated();
            }
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(thread -> new Formulas().sum(thread));
    }
}
