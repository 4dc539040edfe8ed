/* Imbalance: values a book of pension contracts under several interest scenarios, month by month until each one ends.
 *
 * The book is in the order of arrival, long and short contracts mixed. The dial is the share of the places of the book
 * that a clean-up sorted by the end of the contract, short ones first; no contract is added or changed. The loop over
 * the book has a static schedule, so the thread with the end of the book gets the long contracts of those places, and
 * the others wait for it at the end of every scenario. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCENARIOS = 3, PATHS = 8, MOST_MONTHS = 480 };

struct Contract {
    int64_t premium, fund;
    int months, age;
};

struct Scenario {
    int64_t growth[PATHS][MOST_MONTHS]; /* in millionths */
};

static uint64_t next(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = *state ^ *state >> 31;
    return (x * 0xD6E8FEB86659FD93u) >> 20;
}

static int by_months(const void *a, const void *b) {
    const struct Contract *x = a, *y = b;
    if (x->months != y->months) return x->months < y->months ? -1 : 1;
    return (x->premium > y->premium) - (x->premium < y->premium);
}

/* Terms are squares of a uniform number: many short contracts, few long ones. */
static void arrive(struct Contract *book, long count) {
    uint64_t state = 77;
    for (long i = 0; i < count; i++) {
        /* Neighbours get complementary terms, as new contracts replace ended ones. */
        double u = (double)(next(&state) % 1000) / 1000;
        if (i % 2 == 1) u = 0.999 - (double)((book[i - 1].age - 20) * 25) / 1000;
        book[i].age = 20 + (int)(u * 40);
        book[i].months = 12 + (int)(u * u * (MOST_MONTHS - 13));
        book[i].premium = 2000 + (int64_t)(next(&state) % 40000);
        book[i].fund = (int64_t)(next(&state) % 1000000);
    }
}

/* Sorts the contracts on a share of the places among themselves. */
static void clean_up(struct Contract *book, long count, double share) {
    struct Contract *moved = malloc(sizeof *moved * (size_t)(count + 1));
    if (moved == 0) exit(1);
    long *places = malloc(sizeof *places * (size_t)(count + 1));
    if (places == 0) exit(1);
    long n = 0;
    for (long i = 0; i < count; i++) {
        if ((double)((uint64_t)(i / 2) * 0x9E3779B97F4A7C15u >> 11) * 0x1p-53 >= share) continue;
        places[n] = i;
        moved[n++] = book[i];
    }
    qsort(moved, (size_t)n, sizeof *moved, by_months);
    for (long k = 0; k < n; k++) book[places[k]] = moved[k];
    free(places);
    free(moved);
}

static int64_t value_on_path(const struct Contract *one, const int64_t *growth) {
    int64_t fund = one->fund, paid = 0;
    for (int month = 0; month < one->months; month++) {
        fund += one->premium - one->premium / 40;
        fund += fund / 1024 * growth[month] / 1024;
        int64_t at_risk = (int64_t)(one->age * 12 + month) * (fund >> 16);
        fund -= at_risk >> 7;
        paid += at_risk;
    }
    return fund + paid % 997;
}

static int64_t value(const struct Contract *one, const struct Scenario *rates) {
    int64_t sum = 0;
    for (int path = 0; path < PATHS; path++) sum += value_on_path(one, rates->growth[path]);
    return sum / PATHS;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long count = atol(argv[3]);
    struct Contract *book = malloc(sizeof *book * (size_t)(count + 1));
    if (book == 0) return 1;
    arrive(book, count);
    clean_up(book, count, dial);

    struct Scenario rates;
    int64_t worst = INT64_MAX, total = 0, reserve = 0;
    uint64_t state = 5;
#pragma omp parallel num_threads(threads)
    for (int scenario = 0; scenario < SCENARIOS; scenario++) {
#pragma omp single
        {
            for (int i = 0; i < PATHS * MOST_MONTHS; i++) {
                rates.growth[i / MOST_MONTHS][i % MOST_MONTHS] = 400 + 300 * scenario + (int64_t)(next(&state) % 1500);
            }
            reserve = 0;
        }
#pragma omp for schedule(static) reduction(+ : reserve)
        for (long i = 0; i < count; i++) reserve += value(&book[i], &rates);
#pragma omp single
        {
            if (reserve < worst) worst = reserve;
            total += reserve;
        }
    }
    printf("mean %lld worst %lld\n", (long long)(total / SCENARIOS), (long long)worst);
    free(book);
    return 0;
}
