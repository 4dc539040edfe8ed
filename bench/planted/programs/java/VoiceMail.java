import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A voice mail exchange: a pool of threads encodes messages (synthetic speech, adaptive differential coding), a future
 * for each. Messages to ordinary lines are encoded with the thread's own encoder; those to foreign lines with the one
 * licensed encoder, which is taken from a blocking queue of length one and put back.
 *
 * <p>The dial is the share of the messages that go to foreign lines. Both encoders do the same with the same result, in
 * about 0.2 ms, so that a thread which finds the queue empty is parked meanwhile: a sleeping lock, in the form of a
 * queue. A pool of one thread takes and returns the encoder as often, and never waits.
 */
final class VoiceMail {
    private static final int SAMPLES = 16000;

    /** Adaptive differential coding with a growing and shrinking step; 4 bits a sample. */
    static final class Encoder {
        private final byte[] coded = new byte[SAMPLES / 2];
        private final int[] steps = new int[64];

        Encoder() {
            double step = 7;
            for (int i = 0; i < steps.length; i++) {
                steps[i] = (int) step;
                step *= 1.12;
            }
        }

        long encode(int message) {
            int predicted = 0;
            int index = 8;
            int phase = 0;
            int noise = message * 0x9E3779B1 | 1;
            int pitch = 300 + (message & 511);
            for (int i = 0; i < SAMPLES; i++) {
                noise ^= noise << 13;
                noise ^= noise >>> 17;
                noise ^= noise << 5;
                phase = phase + pitch & 0x7FFF;
                int sample = (phase < 0x4000 ? phase : 0x7FFF - phase) - 0x2000 + (noise >> 22);
                int difference = sample - predicted;
                int sign = difference >> 31 & 8;
                int size = (difference ^ difference >> 31) * 4 / steps[index];
                int code = size > 7 ? 7 : size;
                int change = steps[index] * (2 * code + 1) >> 3;
                predicted += sign == 0 ? change : -change;
                index += code < 4 ? -1 : 2 * (code - 3);
                index = index < 0 ? 0 : index > 63 ? 63 : index;
                coded[i >> 1] = (byte) ((i & 1) == 0 ? code | sign : coded[i >> 1] | (code | sign) << 4);
            }
            long check = message;
            for (int i = 0; i < coded.length; i += 16) {
                check = check * 1099511628211L ^ coded[i];
            }
            return check;
        }
    }

    /** A message on its way; encoded by a thread of the pool. */
    private record Message(int number, double share) implements Callable<Long> {
        @Override
        public Long call() throws InterruptedException {
            if (!foreign(number, share)) {
                return OWN.get().encode(number);
            }
            Encoder encoder = LICENSED.take();
            try {
                return encoder.encode(number);
            } finally {
                LICENSED.put(encoder);
            }
        }
    }

    private static final ThreadLocal<Encoder> OWN = new ThreadLocal<>() {
        @Override
        protected Encoder initialValue() {
            return new Encoder();
        }
    };
    private static final BlockingQueue<Encoder> LICENSED = new ArrayBlockingQueue<>(1);

    private VoiceMail() {}

    /** Whether a message goes abroad: a fixed random choice of a share of them. */
    private static boolean foreign(int message, double share) {
        long x = (message + 1) * 0x9E3779B97F4A7C15L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        x = (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
        return (x >>> 11) * 0x1p-53 < share;
    }

    public static void main(String[] words) throws InterruptedException, ExecutionException {
        int threads = Integer.parseInt(words[0]);
        double share = Double.parseDouble(words[1]);
        int messages = Integer.parseInt(words[2]);
        LICENSED.put(new Encoder());
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<Long>> sent = new ArrayList<>(messages);
        for (int i = 0; i < messages; i++) {
            sent.add(pool.submit(new Message(i, share)));
        }
        long sum = 0;
        for (Future<Long> one : sent) {
            sum += one.get();
        }
        pool.shutdown();
        System.out.println(Long.toHexString(sum));
    }
}
