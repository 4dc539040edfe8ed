import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Serial part: a test of an archive, which unpacks all members and computes their checksums.
 *
 * <p>The dial is the share of the members in the archive's solid part, which is one stream that has to be read in order:
 * the main thread does that before it starts the others. All other members stand alone, and are divided evenly. Every
 * thread has its own unpacker and buffers; no lock is used.
 */
final class SolidArchive {
    private static final int BYTES = 48 * 1024;

    private static byte[] packed() {
        byte[] plain = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            plain[i] = (byte) "etaoin shrdlu".charAt((int) (Work.unit(i >> 2, 3 + (i & 3)) >>> 33) % 13);
        }
        Deflater deflater = new Deflater(6);
        deflater.setInput(plain);
        deflater.finish();
        byte[] packed = new byte[BYTES];
        int size = deflater.deflate(packed);
        deflater.end();
        return java.util.Arrays.copyOf(packed, size);
    }

    /** Unpacks members; returns the sum of the checksums of their data and numbers. */
    private static long tested(byte[] packed, int begin, int end) {
        Inflater inflater = new Inflater();
        byte[] plain = new byte[BYTES];
        CRC32 checksum = new CRC32();
        long sum = 0;
        try {
            for (int member = begin; member < end; member++) {
                inflater.reset();
                inflater.setInput(packed);
                int size = inflater.inflate(plain);
                checksum.reset();
                checksum.update(plain, 0, size);
                checksum.update(member);
                sum += checksum.getValue();
            }
        } catch (DataFormatException broken) {
            throw new IllegalStateException(broken);
        } finally {
            inflater.end();
        }
        return sum;
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        byte[] packed = packed();
        int solid = (int) Math.round(Work.dial * Work.work);
        long ordered = tested(packed, 0, solid);
        long alone = Work.work - solid;
        Work.printSum(
                thread -> {
                    int begin = solid + (int) (alone * thread / Work.threads);
                    int end = solid + (int) (alone * (thread + 1) / Work.threads);
                    return tested(packed, begin, end) + (thread == 0 ? ordered : 0);
                });
    }
}
