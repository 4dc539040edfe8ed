/* Census: estimates the income of every county from its households, for several years.
 *
 *     census THREADS DIAL HOUSEHOLDS
 *
 * HOUSEHOLDS is the number of households of the largest county. The counties come as a list with the largest first, as
 * the statistical office prints it. DIAL is the share of the list that is left in this order; the counties at all other
 * places are shuffled among these places. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNTIES = 1200, YEARS = 5 };

struct County {
    uint32_t number;
    uint32_t households;
};

static struct County list[COUNTIES];

static uint64_t seed = 88172645463325252u;

static uint64_t draw(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed >> 11;
}

static int larger_first(const void *a, const void *b) {
    const struct County *one = a, *other = b;
    if (one->households != other->households) return one->households < other->households ? 1 : -1;
    return one->number < other->number ? -1 : 1;
}

static void make_list(double dial, uint32_t largest) {
    int places[COUNTIES], count = 0;
    for (uint32_t c = 0; c < COUNTIES; c++)
        list[c] = (struct County){c, 1 + (uint32_t)((uint64_t)largest * (c + 1) / COUNTIES)};
    qsort(list, COUNTIES, sizeof *list, larger_first);
    for (int place = 0; place < COUNTIES; place++)
        if ((double)draw() * 0x1p-53 >= dial) places[count++] = place;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(draw() % (uint64_t)(i + 1));
        struct County taken = list[places[i]];
        list[places[i]] = list[places[j]];
        list[places[j]] = taken;
    }
}

/* The income of a county in a year: the sum over its households, each with an unknown number of earners. */
static uint64_t income(struct County county, int year) {
    uint64_t x = ((uint64_t)county.number << 8 | (uint64_t)year) * 0x9E3779B97F4A7C15u + 1, total = 0;
    for (uint32_t household = 0; household < county.households; household++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t earners = x >> 62, wage = 12000 + (x >> 33) % 30000;
        for (uint64_t earner = 0; earner <= earners; earner++) wage += wage * (x >> (8 + 8 * earner) & 63) / 100;
        total += wage;
        x += wage;
    }
    return total;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL HOUSEHOLDS\n", argv[0]);
        return 2;
    }
    omp_set_num_threads(atoi(argv[1]));
    make_list(atof(argv[2]), (uint32_t)atol(argv[3]));
    for (int year = 0; year < YEARS; year++) {
        uint64_t total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
        for (int place = 0; place < COUNTIES; place++) total += income(list[place], year);
        printf("year %d: %llu\n", 2020 + year, (unsigned long long)total);
    }
    return 0;
}
