import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connect Four: players of an executor fetch opening positions one by one, search the game tree below each of their
 * replies some moves deep, and count the positions seen per column, each player in a row of its own of one table.
 *
 * <p>Decoy: the rows of the table lie side by side in the same cache lines, and the dial is the share of the searches
 * that are entered in the table at once, while the others are summed up first and entered at the end. It looks like
 * false sharing, but a search takes so much longer than a line takes to move that nothing is lost.
 */
final class ConnectFour {
    private static final int COLUMNS = 7;
    private static final int ROWS = 6;
    private static final int DEPTH = 3;
    private static final int OPENING_MOVES = 8;

    private final long[] table;
    private final AtomicInteger next = new AtomicInteger();
    private final int openings;
    private final double dial;

    private ConnectFour(int players, double dial, int openings) {
        this.table = new long[players * COLUMNS];
        this.dial = dial;
        this.openings = openings;
    }

    private static long mix(long x) {
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        x = (x ^ x >>> 29) * 0x9E3779B97F4A7C15L;
        return x ^ x >>> 32;
    }

    /** A board as two sets of stones, a column in seven bits with the topmost always empty. */
    private static final class Board {
        private final long[] stones = new long[2];
        private final int[] height = new int[COLUMNS];
        private int moves;

        boolean open(int column) {
            return height[column] < ROWS;
        }

        void drop(int column) {
            stones[moves++ & 1] |= 1L << column * 7 + height[column]++;
        }

        void lift(int column) {
            stones[--moves & 1] ^= 1L << column * 7 + --height[column];
        }

        boolean lastWon() {
            long own = stones[moves - 1 & 1];
            for (int way = 1; way <= 8; way = way == 1 ? 6 : way + 1) {
                long pairs = own & own >>> way;
                if ((pairs & pairs >>> 2 * way) != 0) {
                    return true;
                }
            }
            return false;
        }
    }

    /** The positions seen below this one; won games are not played on. */
    private static long search(Board board, int depth) {
        long seen = 1;
        if (depth == 0 || board.lastWon()) {
            return seen;
        }
        for (int column = 0; column < COLUMNS; column++) {
            if (board.open(column)) {
                board.drop(column);
                seen += search(board, depth - 1);
                board.lift(column);
            }
        }
        return seen;
    }

    private static Board opening(int number) {
        Board board = new Board();
        long dice = number + 1;
        while (board.moves < OPENING_MOVES) {
            dice = mix(dice + 1);
            int column = (int) (dice >>> 1) % COLUMNS;
            column = column < 0 ? -column : column;
            if (board.open(column)) {
                board.drop(column);
            }
        }
        return board;
    }

    private void play(int player) {
        int row = player * COLUMNS;
        long[] later = new long[COLUMNS];
        for (int number = next.getAndIncrement(); number < openings; number = next.getAndIncrement()) {
            Board board = opening(number);
            for (int column = 0; column < COLUMNS; column++) {
                if (!board.open(column)) {
                    continue;
                }
                board.drop(column);
                long seen = search(board, DEPTH);
                board.lift(column);
                boolean atOnce = (mix(number * 7L + column + 1) >>> 11) * 0x1p-53 < dial;
                if (atOnce) {
                    table[row + column] += seen;
                } else {
                    later[column] += seen;
                }
            }
        }
        for (int column = 0; column < COLUMNS; column++) {
            table[row + column] += later[column];
        }
    }

    private static final class Player implements Runnable {
        private final ConnectFour game;
        private final int number;

        Player(ConnectFour game, int number) {
            this.game = game;
            this.number = number;
        }

        @Override
        public void run() {
            game.play(number);
        }
    }

    public static void main(String[] words) throws Exception {
        int players = Integer.parseInt(words[0]);
        ConnectFour game = new ConnectFour(players, Double.parseDouble(words[1]), Integer.parseInt(words[2]));
        ExecutorService club = Executors.newFixedThreadPool(players);
        List<Future<?>> seats = new ArrayList<>();
        for (int player = 0; player < players; player++) {
            seats.add(club.submit(new Player(game, player)));
        }
        for (Future<?> seat : seats) {
            seat.get();
        }
        club.shutdown();
        long answer = 0;
        for (int at = 0; at < game.table.length; at++) {
            answer += game.table[at] * (2 * (at % COLUMNS) + 1);
        }
        System.out.println(answer);
    }
}
