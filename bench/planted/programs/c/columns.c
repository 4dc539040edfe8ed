/* Memory bandwidth: evaluates an expression over the columns of a table, for a number of queries.
 *
 * The operators of a query are loops over vectors: unpack a column, multiply, add, sum up. The dial is the share of the
 * queries that run each operator over all rows of the thread before the next one starts, with intermediate columns in
 * memory (96 MiB in all); all others take 1024 rows through all operators, and their vectors stay in the cache. The
 * instructions are the same. The columns are touched once at the start, at every dial, and lie in huge pages; each
 * thread has a part of its own and reads and writes it in order. */
#include <string.h>
#include <sys/mman.h>

#include "work.h"

enum { VECTOR = 1024 };

static const long ROWS = 4 << 20;

/* Two rows of a column, so that the compiler makes vector instructions at -O2. */
typedef uint64_t Lanes __attribute__((vector_size(16)));

enum { LANES = 2 };

static uint64_t *prices, *taxes, *totals;

static void unpack(uint64_t *to, uint64_t seed, long begin, long rows) {
    Lanes values = {0, 1};
    values += seed + (uint64_t)begin;
    for (long i = 0; i < rows; i += LANES, values += LANES) *(Lanes *)(to + i) = values;
}

static void multiply(uint64_t *to, const uint64_t *from, long rows) {
    for (long i = 0; i < rows; i += LANES) {
        Lanes values = *(const Lanes *)(from + i);
        *(Lanes *)(to + i) = (values << 4) + values;
    }
}

static void add(uint64_t *to, const uint64_t *left, const uint64_t *right, long rows) {
    for (long i = 0; i < rows; i += LANES) *(Lanes *)(to + i) = *(const Lanes *)(left + i) + *(const Lanes *)(right + i);
}

static uint64_t sum_up(const uint64_t *from, long rows) {
    Lanes sums = {0};
    uint64_t sum = 0;
    for (long i = 0; i < rows; i += LANES) sums += *(const Lanes *)(from + i);
    for (int lane = 0; lane < LANES; lane++) sum += sums[lane];
    return sum;
}

/* The operators over the rows from `begin` on, with vectors of as many rows. */
static uint64_t evaluate(long query, uint64_t *price, uint64_t *tax, uint64_t *total, long begin, long rows) {
    unpack(price, (uint64_t)query * 1000003, begin, rows);
    multiply(tax, price, rows);
    add(total, price, tax, rows);
    return sum_up(total, rows);
}

static uint64_t body(int thread) {
    long begin = ROWS / VECTOR * thread / threads * VECTOR, end = ROWS / VECTOR * (thread + 1) / threads * VECTOR;
    uint64_t *price = prices + begin, *tax = taxes + begin, *total = totals + begin, sum = 0;
    size_t bytes = (size_t)(end - begin) * sizeof *price;
    memset(price, 0, bytes);
    memset(tax, 0, bytes);
    memset(total, 0, bytes);
    for (long query = 0; query < work; query++) {
        if ((long)((double)(query + 1) * dial) > (long)((double)query * dial)) {
            sum += evaluate(query, price, tax, total, begin, end - begin);
        } else {
            for (long row = begin; row < end; row += VECTOR) sum += evaluate(query, price, tax, total, row, VECTOR);
        }
    }
    return sum;
}

static uint64_t *column(void) {
    size_t bytes = (size_t)ROWS * sizeof(uint64_t);
    uint64_t *words = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (words == MAP_FAILED) exit(1);
    madvise(words, bytes, MADV_HUGEPAGE);
    return words;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    prices = column();
    taxes = column();
    totals = column();
    print_answer(in_threads(body));
    return 0;
}
