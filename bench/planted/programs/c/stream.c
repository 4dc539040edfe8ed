/* Memory bandwidth: sums short units of arithmetic, and counts in an array that no cache holds beside it.
 *
 * The dial is the share of the units that add one to every word of the next 64 KiB of the array, each thread in a part
 * of its own; all others compute for about as long. The array is written once at the start, at every dial. It is read
 * and written in order, so latency is hidden and pages are few. */
#include <string.h>
#include <sys/mman.h>

#include "work.h"

enum { STEPS = 300, AS_LONG = 2700, WORDS = 8192, BYTES = 8 * WORDS };

static const size_t ARRAY = (size_t)48 << 20;

static unsigned char *array;

/* Add one to each word of a piece; return its sum before, less what that must be: 0. */
static uint64_t count_piece(uint64_t *words, uint64_t passes) {
    uint64_t sum = 0;
    for (size_t i = 0; i < WORDS; i++) sum += words[i]++;
    return sum - passes * WORDS;
}

static uint64_t body(int thread) {
    size_t part = ARRAY / BYTES / (size_t)threads * BYTES, at = 0;
    unsigned char *begin = array + part * (size_t)thread;
    uint64_t sum = 0, passes = 0;
    memset(begin, 0, part);
    for (long i = first(thread); i < first(thread + 1); i++) {
        sum += unit(i, STEPS);
        if (!picked(i)) {
            // Never 1, which the compiler does not know.
            sum += unit(i, AS_LONG) == 1;
            continue;
        }
        sum += count_piece((uint64_t *)(begin + at), passes);
        at += BYTES;
        if (at < part) continue;
        at = 0;
        passes++;
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    array = mmap(0, ARRAY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (array == MAP_FAILED) return 1;
    madvise(array, ARRAY, MADV_HUGEPAGE);
    print_answer(in_threads(body));
    return 0;
}
