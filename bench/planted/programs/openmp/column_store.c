// A query over a column store: revenue by region of the sales that pass a filter, with a discount curve;
// WORK queries of that kind, each with another curve.
//
//     column_store THREADS DIAL WORK
//
// The stored columns are bit-packed. Most of the plan runs vector at a time: 2048 rows go through all operators before
// the next ones are read. The rest of each partition runs operator at a time: every operator reads and writes whole
// columns. DIAL is the share of the rows whose plan runs operator at a time.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 20, VECTOR = 2048, REGIONS = 16 };

typedef struct {
    long rows;
    uint32_t *packed; // per row: 18 bits of price, 10 of quantity, 4 of region
} Table;

typedef struct {
    uint32_t *price, *quantity, *region, *discount, *revenue, *taxed;
} Columns;

static uint64_t scramble(uint64_t x) {
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185u;
    x ^= x >> 27;
    x *= 0x81dadef4bc2dd44du;
    return x ^ x >> 33;
}

// The operators. Each works on `rows` rows from the start of its columns.

static void decode(const uint32_t *packed, Columns out, long rows) {
#pragma omp simd
    for (long i = 0; i < rows; i++) {
        uint32_t word = packed[i];
        out.price[i] = word & 0x3ffff;
        out.quantity[i] = word >> 18 & 0x3ff;
        out.region[i] = word >> 28;
    }
}

static void discount(const uint32_t *quantity, uint32_t *out, long rows, uint32_t query) {
#pragma omp simd
    for (long i = 0; i < rows; i++) out[i] = quantity[i] > 500 ? 900 - query % 256 : 1000 - (quantity[i] >> 4);
}

static void multiply(const uint32_t *price, const uint32_t *quantity, uint32_t *out, long rows) {
#pragma omp simd
    for (long i = 0; i < rows; i++) out[i] = price[i] * quantity[i] >> 6;
}

static void scale(const uint32_t *by, const uint32_t *in, uint32_t *out, long rows) {
#pragma omp simd
    for (long i = 0; i < rows; i++) out[i] = (in[i] >> 10) * by[i];
}

static void add_tax(const uint32_t *region, const uint32_t *in, uint32_t *out, long rows) {
#pragma omp simd
    for (long i = 0; i < rows; i++) out[i] = in[i] + (in[i] >> 8) * (region[i] + 5);
}

static void aggregate(const uint32_t *region, const uint32_t *in, uint64_t *sums, long rows) {
    for (long i = 0; i < rows; i++) sums[region[i]] += in[i];
}

static void run_plan(const uint32_t *packed, Columns at, long rows, uint32_t query, uint64_t *sums) {
    decode(packed, at, rows);
    discount(at.quantity, at.discount, rows, query);
    multiply(at.price, at.quantity, at.revenue, rows);
    scale(at.discount, at.revenue, at.revenue, rows);
    add_tax(at.region, at.revenue, at.taxed, rows);
    aggregate(at.region, at.taxed, sums, rows);
}

static Columns allocate(long rows) {
    // Touched here, so that the queries find the pages in place.
    Columns c;
    uint32_t **all[] = {&c.price, &c.quantity, &c.region, &c.discount, &c.revenue, &c.taxed};
    for (int i = 0; i < 6; i++) {
        *all[i] = malloc((rows + 1) * sizeof(uint32_t));
        memset(*all[i], 1, (rows + 1) * sizeof(uint32_t));
    }
    return c;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    uint32_t queries = atoi(argv[3]);
    Table table = {.rows = ROWS};
    omp_set_num_threads(threads);
    table.packed = malloc(table.rows * sizeof(uint32_t));
    uint64_t totals[REGIONS] = {0};

#pragma omp parallel
    {
        int me = omp_get_thread_num(), n = omp_get_num_threads();
        long first = table.rows * me / n, last = table.rows * (me + 1) / n;
        for (long i = first; i < last; i++) table.packed[i] = (uint32_t)scramble(i);
        long columnar = (long)((last - first) * dial);
        Columns whole = allocate(columnar), vector = allocate(VECTOR);
        uint64_t sums[REGIONS] = {0};
        for (uint32_t query = 0; query < queries; query++) {
            run_plan(table.packed + first, whole, columnar, query, sums);
            for (long at = first + columnar; at < last; at += VECTOR) {
                long rows = last - at < VECTOR ? last - at : VECTOR;
                run_plan(table.packed + at, vector, rows, query, sums);
            }
        }
#pragma omp critical
        for (int r = 0; r < REGIONS; r++) totals[r] += sums[r];
    }

    uint64_t digest = 0;
    for (int r = 0; r < REGIONS; r++) digest = scramble(digest + totals[r]);
    printf("%016llx\n", (unsigned long long)digest);
    return 0;
}
