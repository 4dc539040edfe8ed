/**
 * Garbage collection: sums units of arithmetic, each with a buffer of 2 KiB.
 *
 * <p>The dial is the share of the units that allocate their buffer; all others use one that the thread keeps. The last
 * 4096 new buffers stay alive, so each collection has to copy them, and no thread runs meanwhile. The command chooses a
 * collector with a single thread and a small young generation. The program itself takes no lock.
 */
final class Collected {
    private static final int STEPS = 400;
    private static final int BYTES = 2048;
    private static final int ALIVE = 4096;

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(
                thread -> {
                    byte[][] alive = new byte[ALIVE / Work.threads][];
                    byte[] kept = new byte[BYTES];
                    long sum = 0;
                    int next = 0;
                    for (int i = Work.first(thread); i < Work.first(thread + 1); i++) {
                        byte[] buffer = kept;
                        if (Work.picked(i)) {
                            buffer = new byte[BYTES];
                            alive[next++ % alive.length] = buffer;
                        }
                        buffer[i % BYTES] = (byte) i;
                        sum += buffer[i % BYTES] + Work.unit(i, STEPS);
                    }
                    return sum;
                });
    }
}
