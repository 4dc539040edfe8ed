import java.util.concurrent.locks.ReentrantLock;

/**
 * Notary's office: puts a seal on documents, a number that depends on every byte of theirs.
 *
 * <p>Clerks have a stamp of their own, but the dial is the share of the documents that need the office's one stamp: its
 * lock is held for the whole document, and a clerk who finds it taken sleeps until it is free.
 */
final class NotaryOffice {
    private static final int PAGE = 4096;
    private static final int PAGES = 12;

    /** Four running numbers and a table; no two documents can be stamped at once. */
    private static final class Stamp {
        private final long[] wheel = new long[4];
        private final int[] ink = new int[256];

        Stamp() {
            for (int i = 0; i < 256; i++) {
                int bits = i;
                for (int k = 0; k < 8; k++) {
                    bits = (bits & 1) != 0 ? bits >>> 1 ^ 0x82F63B78 : bits >>> 1;
                }
                ink[i] = bits;
            }
        }

        void start(int document) {
            for (int i = 0; i < 4; i++) {
                wheel[i] = document * 0x9E3779B97F4A7C15L + i;
            }
        }

        void press(byte[] text, int skip) {
            long a = wheel[0];
            long b = wheel[1];
            for (int i = skip; i < text.length; i++) {
                a = a >>> 8 ^ ink[(int) (a ^ text[i]) & 255];
                b = Long.rotateLeft(b, 5) + a;
            }
            wheel[0] = wheel[2] ^ b;
            wheel[1] = wheel[3] + a;
            wheel[2] = a;
            wheel[3] = b;
        }

        long seal() {
            return (wheel[0] ^ wheel[1] * 31 ^ wheel[2] ^ wheel[3]) >>> 8;
        }
    }

    private final ReentrantLock desk = new ReentrantLock();
    private final Stamp office = new Stamp();
    private final byte[] wording = new byte[PAGE];

    NotaryOffice() {
        for (int i = 0; i < PAGE; i++) {
            wording[i] = (byte) (i * 31 + (i >> 5));
        }
    }

    private long sealed(Stamp stamp, int document) {
        stamp.start(document);
        for (int page = 0; page < PAGES; page++) {
            stamp.press(wording, page);
        }
        return stamp.seal();
    }

    private long clerk(int thread) {
        Stamp own = new Stamp();
        long register = 0;
        for (int document = Work.first(thread); document < Work.first(thread + 1); document++) {
            if (Work.picked(document)) {
                desk.lock();
                try {
                    register += sealed(office, document);
                } finally {
                    desk.unlock();
                }
            } else {
                register += sealed(own, document);
            }
        }
        return register;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        NotaryOffice town = new NotaryOffice();
        Work.printSum(town::clerk);
    }
}
