/* Sorts the peaks of a mass spectrometer's scans into bins by their mass. Every thread has a row of bins; the rows lie
 * end to end in one array, without padding, with each row's running totals beside the last bins of the row before it.
 *
 * The dial is the share of the peaks that are counted in those rows at once; the others go to a row on the thread's own
 * stack, which is added to the row after the loop. It looks like false sharing, with hot stores beside another thread's,
 * but nearly all peaks fall in the middle of a row and the totals are written once a scan, so that threads nearly never
 * write to the same cache line: a decoy. The `critical` at the end is entered once by each thread. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PEAKS = 900, BINS = 1501 };

struct row {
    uint32_t scans, peaks, strongest;
    uint32_t bin[BINS];
};

static inline uint64_t next(uint64_t *state) {
    uint64_t x = *state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* A peak's time of flight to its bin: the mass is a root, and masses bunch around the middle. */
static inline int bin_of(uint64_t flight) {
    uint32_t a = (uint32_t)flight & 0xFFFF, b = (uint32_t)(flight >> 16) & 0xFFFF;
    uint64_t square = ((uint64_t)a + b) * ((uint64_t)a + b), root = 65536;
    for (int step = 0; step < 3; step++) root = (root + square / (root | 1)) / 2;
    uint64_t bin = root * BINS >> 17;
    return bin < BINS ? (int)bin : BINS - 1;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    uint32_t at_once = (uint32_t)(atof(argv[2]) * 65536);
    long scans = atol(argv[3]);
    struct row *rows = calloc((size_t)threads, sizeof *rows);
    if (rows == 0) return 1;
    uint64_t spectrum[BINS] = {0}, seen = 0, strongest = 0;
#pragma omp parallel num_threads(threads)
    {
        struct row *mine = &rows[omp_get_thread_num()];
        uint32_t later[BINS] = {0};
#pragma omp for schedule(dynamic, 4) nowait
        for (long scan = 0; scan < scans; scan++) {
            uint64_t state = (uint64_t)scan << 20;
            uint32_t top = 0;
            for (int peak = 0; peak < PEAKS; peak++) {
                uint64_t drawn = next(&state);
                uint32_t strength = (uint32_t)(drawn >> 40);
                if (strength > top) top = strength;
                uint32_t *row = (drawn >> 32 & 0xFFFF) < at_once ? mine->bin : later;
                row[bin_of(drawn)]++;
            }
            mine->scans++;
            mine->peaks += PEAKS;
            if (top > mine->strongest) mine->strongest = top;
        }
#pragma omp critical
        {
            for (int bin = 0; bin < BINS; bin++) spectrum[bin] += mine->bin[bin] + later[bin];
            seen += mine->peaks + mine->scans;
            if (mine->strongest > strongest) strongest = mine->strongest;
        }
    }
    uint64_t answer = seen * 31 + strongest;
    for (int bin = 0; bin < BINS; bin++) answer = answer * 1000003 + spectrum[bin];
    free(rows);
    printf("%016llx\n", (unsigned long long)answer);
    return 0;
}
