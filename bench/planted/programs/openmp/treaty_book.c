/* Values the policies of an insurance book month by month: a first loop up to the month in which a policy's treaty is
 * renewed, and a second one for the months after it. The dial is the slant of the book: policies are kept in the order
 * of their renewal, so in the first loop the last thread has most to do, and in the second loop the first.
 *
 * A decoy for imbalance: both loops are very unequal, but there is no barrier between them (nowait, and the same static
 * schedule gives a policy to the same thread), and a policy has as many months in both loops together as any other. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { POLICIES = 3000, MONTHS = 120, LIVES = 12 };

struct Policy {
    uint64_t reserve;
    uint32_t rates[LIVES];
    int renewal;
};

static struct Policy *book;

/* A month's premiums less claims, in whole cents; the reserve earns interest and is carried on. */
static uint64_t month_end(const struct Policy *policy, uint64_t reserve, int year, int month) {
    for (int life = 0; life < LIVES; life++) {
        uint64_t chance = policy->rates[life] + (uint64_t)(month * 37 + year * 11);
        uint64_t claim = (reserve & 0xFFFFFFFF) * chance >> 20;
        uint64_t premium = (reserve >> 7 & 0xFFFF) * 3 + chance;
        reserve += premium + (reserve >> 40) - (claim >> 2);
    }
    return reserve;
}

static void open_book(double slant) {
    uint32_t seed = 7;
    for (int p = 0; p < POLICIES; p++) {
        book[p].reserve = 1000000007u * (uint64_t)(p + 1);
        for (int life = 0; life < LIVES; life++) {
            seed = seed * 1664525u + 1013904223u;
            book[p].rates[life] = seed >> 16;
        }
        double along = 2.0 * p / (POLICIES - 1) - 1;
        book[p].renewal = (int)(MONTHS / 2 * (1 + slant * along));
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double slant = atof(argv[2]);
    int years = atoi(argv[3]);
    book = malloc(POLICIES * sizeof *book);
    if (book == 0) return 1;
    open_book(slant);
    uint64_t total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    for (int year = 0; year < years; year++) {
#pragma omp for schedule(static) nowait
        for (int p = 0; p < POLICIES; p++) {
            uint64_t reserve = book[p].reserve;
            for (int month = 0; month < book[p].renewal; month++) reserve = month_end(&book[p], reserve, year, month);
            book[p].reserve = reserve;
        }
#pragma omp for schedule(static)
        for (int p = 0; p < POLICIES; p++) {
            uint64_t reserve = book[p].reserve;
            for (int month = book[p].renewal; month < MONTHS; month++) {
                reserve = month_end(&book[p], reserve, year, month);
            }
            book[p].reserve = reserve;
            total += reserve >> 3 ^ (uint64_t)p;
        }
    }
    printf("%016llx\n", (unsigned long long)total);
    free(book);
    return 0;
}
