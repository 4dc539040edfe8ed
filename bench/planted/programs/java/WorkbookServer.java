import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Recalculates spreadsheets: executor threads take a workbook from a queue, evaluate its next cells, and put it back.
 *
 * <p>The dial is the share of the formulas that are parsed into trees of small nodes, which the workbook keeps for a
 * while (for undo); the others are evaluated while they are parsed, on a stack that is used again. The trees fill the
 * young generation and survive it, and the collector stops all threads to copy them: that is garbage collection.
 */
final class WorkbookServer {
    private static final int BOOKS = 40;
    private static final int BATCH = 60;
    private static final int UNDO = 110;
    private static final int OPERANDS = 32;

    private static double dial;

    private WorkbookServer() {}

    private static long mixed(long x) {
        x *= 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return x ^ x >>> 32;
    }

    /** A node of a formula's tree. */
    private abstract static class Node {
        abstract long value(long[] cells);
    }

    private static final class Constant extends Node {
        final long constant;

        Constant(long constant) {
            this.constant = constant;
        }

        @Override
        long value(long[] cells) {
            return constant;
        }
    }

    private static final class Cell extends Node {
        final int index;

        Cell(int index) {
            this.index = index;
        }

        @Override
        long value(long[] cells) {
            return cells[index];
        }
    }

    private static final class Operation extends Node {
        final byte sign;
        final Node left;
        final Node right;

        Operation(byte sign, Node left, Node right) {
            this.sign = sign;
            this.left = left;
            this.right = right;
        }

        @Override
        long value(long[] cells) {
            return applied(sign, left.value(cells), right.value(cells));
        }
    }

    private static long applied(byte sign, long left, long right) {
        switch (sign) {
            case '+':
                return left + right;
            case '-':
                return left - right;
            default:
                return left * (right | 1) ^ left >>> 29;
        }
    }

    /** A workbook, with its cells, the text of the formula at hand, and the parser's place in it. */
    private static final class Book {
        private final int number;
        private final int formulas;
        private final long[] cells = new long[64];
        private final Node[] undo = new Node[UNDO];
        private final byte[] text = new byte[OPERANDS * 10];
        private int length;
        private int place;
        private int done;
        private long sum;

        Book(int number, int formulas) {
            this.number = number;
            this.formulas = formulas;
            for (int i = 0; i < cells.length; i++) {
                cells[i] = mixed(number * 64L + i);
            }
        }

        /** Evaluates the next cells; says whether there are more. */
        boolean advance() {
            int end = Math.min(done + BATCH, formulas);
            for (; done < end; done++) {
                long seed = mixed((long) number << 32 | done);
                write(seed);
                place = 0;
                long value;
                if ((mixed(seed) >>> 11) * 0x1p-53 < dial) {
                    Node tree = sumTree();
                    value = tree.value(cells);
                    undo[done % UNDO] = tree;
                } else {
                    value = sumValue();
                }
                cells[done & 63] = value;
                sum += mixed(value);
            }
            return done < formulas;
        }

        private void write(long seed) {
            length = 0;
            int open = 0;
            for (int i = 0; i < OPERANDS; i++) {
                seed = seed * 6364136223846793005L + 1442695040888963407L;
                int choice = (int) (seed >>> 40);
                if ((choice & 3) == 0) {
                    text[length++] = '(';
                    open++;
                }
                if ((choice & 4) == 0) {
                    text[length++] = 'C';
                }
                text[length++] = (byte) ('0' + (choice >>> 3) % 6);
                text[length++] = (byte) ('0' + (choice >>> 6) % 10);
                if (open > 0 && (choice >>> 10 & 1) == 0) {
                    text[length++] = ')';
                    open--;
                }
                if (i + 1 < OPERANDS) {
                    text[length++] = (byte) "+-*".charAt((choice >>> 12) % 3);
                }
            }
            while (open-- > 0) {
                text[length++] = ')';
            }
            text[length] = ';';
        }

        private int digits() {
            int value = 0;
            while (text[place] >= '0' && text[place] <= '9') {
                value = value * 10 + text[place++] - '0';
            }
            return value;
        }

        private long sumValue() {
            long value = productValue();
            while (text[place] == '+' || text[place] == '-') {
                byte sign = text[place++];
                value = applied(sign, value, productValue());
            }
            return value;
        }

        private long productValue() {
            long value = operandValue();
            while (text[place] == '*') {
                place++;
                value = applied((byte) '*', value, operandValue());
            }
            return value;
        }

        private long operandValue() {
            if (text[place] == '(') {
                place++;
                long value = sumValue();
                place++;
                return value;
            }
            if (text[place] == 'C') {
                place++;
                return cells[digits()];
            }
            return digits();
        }

        private Node sumTree() {
            Node tree = productTree();
            while (text[place] == '+' || text[place] == '-') {
                byte sign = text[place++];
                tree = new Operation(sign, tree, productTree());
            }
            return tree;
        }

        private Node productTree() {
            Node tree = operandTree();
            while (text[place] == '*') {
                place++;
                tree = new Operation((byte) '*', tree, operandTree());
            }
            return tree;
        }

        private Node operandTree() {
            if (text[place] == '(') {
                place++;
                Node tree = sumTree();
                place++;
                return tree;
            }
            if (text[place] == 'C') {
                place++;
                return new Cell(digits());
            }
            return new Constant(digits());
        }
    }

    /** Advances books until none is left; a book that is taken is nobody else's until it is back in the queue. */
    private static long serve(BlockingQueue<Book> waiting) {
        long sum = 0;
        for (Book book = waiting.poll(); book != null; book = waiting.poll()) {
            if (book.advance()) {
                waiting.add(book);
            } else {
                sum += book.sum * (2L * book.number + 1);
            }
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException, ExecutionException {
        int threads = Integer.parseInt(words[0]);
        dial = Double.parseDouble(words[1]);
        int formulas = Integer.parseInt(words[2]);
        BlockingQueue<Book> waiting = new ArrayBlockingQueue<>(BOOKS);
        List<Book> books = new ArrayList<>();
        for (int i = 0; i < BOOKS; i++) {
            books.add(new Book(i, formulas * (i + 1) / BOOKS - formulas * i / BOOKS));
        }
        waiting.addAll(books);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Long>> sums = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            sums.add(pool.submit(() -> serve(waiting)));
        }
        long answer = books.size();
        for (Future<Long> sum : sums) {
            answer += sum.get();
        }
        pool.shutdown();
        byte[] line = (Long.toHexString(answer) + "\n").getBytes(StandardCharsets.US_ASCII);
        System.out.write(line, 0, line.length);
        System.out.flush();
    }
}
