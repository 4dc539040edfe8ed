/**
 * Garbage collection: compares pairs of gene sequences, and draws a family tree for each pair.
 *
 * <p>A comparison is an edit distance in two rows that the thread keeps. A tree is drawn in arrays that the thread
 * keeps; or else it is built of objects, and the latest {@code KEPT} such trees of all threads together stay alive. The
 * dial is the share of the trees that are built of objects. The collector stops all threads, and one thread of its own
 * copies what is alive.
 */
final class GeneTrees {
    private static final int BASES = 84;
    private static final int LEAVES = 320;
    private static final int KEPT = 128;

    private static final class Node {
        Node left;
        Node right;
        int weight;
    }

    private final byte[] one = new byte[BASES];
    private final byte[] other = new byte[BASES];
    private int[] row = new int[BASES + 1];
    private int[] next = new int[BASES + 1];
    private final int[] left = new int[2 * LEAVES];
    private final int[] right = new int[2 * LEAVES];
    private final int[] weight = new int[2 * LEAVES];
    private int used;
    private long state;

    private int draw(int below) {
        state = state * 6364136223846793005L + 1442695040888963407L;
        return (int) ((state >>> 33) % below);
    }

    private int distance() {
        for (int i = 0; i < BASES; i++) {
            one[i] = (byte) draw(4);
            other[i] = (byte) draw(4);
        }
        for (int j = 0; j <= BASES; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= BASES; i++) {
            next[0] = i;
            for (int j = 1; j <= BASES; j++) {
                int best = row[j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1);
                best = Math.min(best, Math.min(row[j], next[j - 1]) + 1);
                next[j] = best;
            }
            int[] free = row;
            row = next;
            next = free;
        }
        return row[BASES];
    }

    private Node grow(int leaves) {
        Node node = new Node();
        if (leaves == 1) {
            node.weight = draw(100);
            return node;
        }
        int lefts = 1 + draw(leaves - 1);
        node.left = grow(lefts);
        node.right = grow(leaves - lefts);
        node.weight = 3 * node.left.weight + node.right.weight;
        return node;
    }

    private int growInArrays(int leaves) {
        int node = used++;
        if (leaves == 1) {
            weight[node] = draw(100);
            return node;
        }
        int lefts = 1 + draw(leaves - 1);
        left[node] = growInArrays(lefts);
        right[node] = growInArrays(leaves - lefts);
        weight[node] = 3 * weight[left[node]] + weight[right[node]];
        return node;
    }

    private long compareAll(int from, int to) {
        Node[] kept = new Node[Math.max(1, KEPT / Work.threads)];
        int built = 0;
        long sum = 0;
        for (int pair = from; pair < to; pair++) {
            state = pair * 0x9E3779B97F4A7C15L;
            sum += distance();
            if (Work.picked(pair)) {
                Node tree = grow(LEAVES);
                kept[built++ % kept.length] = tree;
                sum += tree.weight;
            } else {
                used = 0;
                sum += weight[growInArrays(LEAVES)];
            }
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(thread -> new GeneTrees().compareAll(Work.first(thread), Work.first(thread + 1)));
    }
}
