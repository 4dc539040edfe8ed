// One thread that makes garbage and keeps some of it, so that a collector has work at the same time.
import java.util.ArrayDeque;

public class Garbage {
    public static void main(String[] words) {
        ArrayDeque<byte[]> kept = new ArrayDeque<>();
        long sum = 0;
        for (long end = System.nanoTime() + 1_500_000_000L; System.nanoTime() < end;) {
            for (int piece = 0; piece < 1000; piece++) {
                byte[] made = new byte[1000];
                made[piece % 1000] = 1;
                kept.add(made);
                sum += kept.size() > 100_000 ? kept.remove()[0] : 0;
            }
        }
        System.out.println(sum);
    }
}
