import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Transcribes ballets from motion sensors to a notation of symbols. Each thread has dances of its own.
 *
 * <p>A phrase is read from the sensors, turned into symbols on a staff, and condensed to one number. The dial is the
 * share of the phrases that stay as objects in the rehearsal folder of the thread, until so many others came; the other
 * phrases are condensed from two arrays that are used again, and leave no objects. What stays has to be copied when the
 * young generation is full, while all dancers stand still: garbage collection.
 */
class BalletNotation {
    static final int SYMBOLS = 48;
    static final int FOLDER = 700;

    record Symbol(int limb, int direction, int beats, Symbol under) {
        long condensed(long so) {
            return (so ^ limb) * 0x100000001B3L + direction * 64L + beats;
        }
    }

    static final class Dance {
        private final int[] limbs = new int[SYMBOLS];
        private final int[] turns = new int[SYMBOLS];
        private final Deque<Symbol> folder = new ArrayDeque<>(FOLDER + 1);

        /** Smooth the sensor's walk, and note where it turns. */
        private void read(int phrase) {
            long x = Work.unit(phrase, 4);
            long place = 0;
            for (int i = 0; i < SYMBOLS; i++) {
                long speed = 0;
                for (int k = 0; k < 12; k++) {
                    x = x * 6364136223846793005L + 1442695040888963407L;
                    speed += (x >> 50) - (speed >> 3);
                    place += speed;
                }
                limbs[i] = (int) (place & 15);
                turns[i] = (int) (speed & 0xFF);
            }
        }

        long transcribe(int phrase) {
            read(phrase);
            long sum = 0;
            if (Work.picked(phrase)) {
                Symbol top = null;
                for (int i = 0; i < SYMBOLS; i++) {
                    top = new Symbol(limbs[i], turns[i] >> 3, turns[i] & 7, top);
                }
                folder.addLast(top);
                if (folder.size() > FOLDER) {
                    folder.removeFirst();
                }
                for (Symbol one = top; one != null; one = one.under()) {
                    sum = one.condensed(sum);
                }
            } else {
                for (int i = SYMBOLS - 1; i >= 0; i--) {
                    sum = ((sum ^ limbs[i]) * 0x100000001B3L) + (turns[i] >> 3) * 64L + (turns[i] & 7);
                }
            }
            return sum;
        }
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Work.printSum(
                thread -> {
                    Dance dance = new Dance();
                    long sum = 0;
                    for (int phrase = Work.first(thread); phrase < Work.first(thread + 1); phrase++) {
                        sum += dance.transcribe(phrase);
                    }
                    return sum;
                });
    }
}
