import java.util.ArrayDeque;

/**
 * Chat moderation: takes messages apart into words and scores them against what was said before.
 *
 * <p>Words are small linked objects. Most messages are dropped once they are scored. The dial is the share of the
 * messages whose words are kept in the window of recent talk, so that they outlive collections of the small heap
 * and have to be moved by the collector's one thread while all others stand still.
 */
final class ChatWindow {
    /** Kept messages over all threads. */
    private static final int WINDOW = 2000;
    private static final int RULES = 5;

    private static final class Word {
        final long letters;
        final int length;
        final Word before;

        Word(long letters, int length, Word before) {
            this.letters = letters;
            this.length = length;
            this.before = before;
        }
    }

    private static Word said(int message) {
        long x = message * 0x9E3779B97F4A7C15L + 0x1234567;
        Word last = null;
        for (int i = 0; i < 24; i++) {
            long letters = 0;
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
            int length = 3 + (int) (x >>> 61);
            for (int k = 0; k < length; k++) {
                letters = letters << 5 | (x >>> 5 * k & 31);
            }
            last = new Word(letters, length, last);
        }
        return last;
    }

    private static long scored(Word last, int rule) {
        long score = rule;
        for (Word word = last; word != null; word = word.before) {
            long mixed = word.letters + rule;
            for (int k = 0; k < word.length; k++) {
                mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
            }
            score = score * 31 + (mixed >>> 40);
        }
        return score & 0xFFFFFFFFL;
    }

    private static final class Moderator extends Thread {
        private final int number;
        private final ArrayDeque<Word> recent = new ArrayDeque<>();
        private long sum;

        Moderator(int number) {
            this.number = number;
        }

        @Override
        public void run() {
            int room = WINDOW / Work.threads;
            long total = 0;
            for (int message = Work.first(number); message < Work.first(number + 1); message++) {
                Word last = said(message);
                for (int rule = 0; rule < RULES; rule++) {
                    total += scored(last, rule);
                }
                if (Work.picked(message)) {
                    recent.addLast(last);
                    if (recent.size() > room) {
                        recent.removeFirst();
                    }
                }
            }
            sum = total;
        }
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        Moderator[] all = new Moderator[Work.threads];
        for (int number = 0; number < all.length; number++) {
            all[number] = new Moderator(number);
            all[number].start();
        }
        long sum = 0;
        for (Moderator one : all) {
            one.join();
            sum += one.sum;
        }
        System.out.println(sum);
    }
}
