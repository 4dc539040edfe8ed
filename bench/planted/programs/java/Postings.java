/**
 * Imbalance: an index of texts that scores the documents of every word, and gives each thread equally many words.
 *
 * <p>Words are sorted by frequency. The dial is how much longer the lists of frequent words are: at 0 all lists have
 * the same length, at 1 the first is twice as long as the mean, and the last is empty. All lists together always have
 * the same documents, in the same order. Threads share only what nobody writes.
 */
final class Postings {
    private static final int WORDS = 20_000;
    private static final int DOCUMENTS = 4096;
    private static final double MEAN_LENGTH = 600;

    /** The documents in the lists of all words before this one. */
    private static int before(int word) {
        double share = (double) word / WORDS;
        return (int) Math.round(Work.work * (share + Work.dial * share * (1 - share)));
    }

    /** How well a document fits by the usual formula, in millionths. */
    private static long score(int frequency, int length) {
        double weight = frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / MEAN_LENGTH));
        return (long) (1e6 * Math.sqrt(weight));
    }

    public static void main(String[] words) throws InterruptedException {
        Work.arguments(words);
        int[] lengths = new int[DOCUMENTS];
        for (int document = 0; document < DOCUMENTS; document++) {
            lengths[document] = 100 + (int) (Work.unit(document, 3) >>> 54);
        }
        Work.printSum(
                thread -> {
                    int begin = (int) ((long) WORDS * thread / Work.threads);
                    int end = (int) ((long) WORDS * (thread + 1) / Work.threads);
                    long sum = 0;
                    for (int word = begin; word < end; word++) {
                        for (int posting = before(word); posting < before(word + 1); posting++) {
                            long bits = posting * 0x9E3779B97F4A7C15L;
                            int document = (int) (bits >>> 52);
                            sum += score(1 + (int) (bits >>> 20 & 15), lengths[document]);
                        }
                    }
                    return sum;
                });
    }
}
