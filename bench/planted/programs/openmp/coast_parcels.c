/* Imbalance: a land register counts which survey marks lie inside each parcel of a coast.
 *
 * A parcel is a closed outline. Most of the coast is straight and its parcels have few corners, some of it is cliffs
 * with many; a mark is tested against every edge. Parcels are dealt out with schedule(static), sheet by sheet. The dial
 * is the share of the parcels that are filed in the order of their corners, as a register sorted by kind of shore would
 * have them; all others are filed at random, so that equal numbers of parcels are nearly equal work. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PARCELS 2000
#define LEAST 8
#define MOST 120
#define MARKS 24

typedef struct {
    int corners;
    int seed;
} Parcel;

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static int inside(const float *x, const float *y, int corners, float px, float py) {
    int in = 0;
    for (int i = 0, j = corners - 1; i < corners; j = i++) {
        if ((y[i] > py) != (y[j] > py)) in ^= px < (x[j] - x[i]) * (py - y[i]) / (y[j] - y[i]) + x[i];
    }
    return in;
}

static uint64_t survey(Parcel parcel, int sheet) {
    float x[MOST], y[MOST];
    uint32_t state = (uint32_t)parcel.seed * 2654435761u + (uint32_t)sheet * 40503u + 1;
    /* Series are close enough for an angle below 0.8. */
    float turn = 6.2831853f / (float)parcel.corners, t2 = turn * turn, c = 1, s = 0;
    float dc = 1 - t2 / 2 * (1 - t2 / 12 * (1 - t2 / 30)), ds = turn * (1 - t2 / 6 * (1 - t2 / 20));
    for (int i = 0; i < parcel.corners; i++) {
        float reach = 0.5f + (float)(next_random(&state) & 0xffff) / 131072.0f;
        x[i] = c * reach, y[i] = s * reach;
        float was = c;
        c = c * dc - s * ds, s = was * ds + s * dc;
    }
    uint64_t found = 0;
    for (int mark = 0; mark < MARKS; mark++) {
        float px = (float)(next_random(&state) & 0xffff) / 32768.0f - 1.0f;
        float py = (float)(next_random(&state) & 0xffff) / 32768.0f - 1.0f;
        found += (uint64_t)inside(x, y, parcel.corners, px, py) << (mark & 3);
    }
    return found * (uint64_t)(parcel.seed + sheet + 1);
}

/* The register: the rank of a parcel gives its corners, and its place in the register gives its worker. */
static void file_parcels(Parcel *filed, double share) {
    int order[PARCELS], place[PARCELS], kept = 0;
    uint32_t state = 20011;
    for (int i = 0; i < PARCELS; i++) order[i] = i;
    for (int i = PARCELS - 1; i > 0; i--) {
        int j = (int)(next_random(&state) % (uint32_t)(i + 1)), was = order[i];
        order[i] = order[j], order[j] = was;
    }
    /* Parcels that stay where sorting puts them; the others change places among themselves. */
    for (int i = 0; i < PARCELS; i++) {
        place[i] = -1;
        if ((i * 619) % PARCELS < (int)(share * PARCELS)) place[i] = i;
    }
    for (int i = 0; i < PARCELS; i++) {
        if (place[i] >= 0) continue;
        while (place[order[kept]] == order[kept]) kept++;
        place[i] = order[kept++] + PARCELS;
    }
    for (int i = 0; i < PARCELS; i++) {
        int rank = place[i] % PARCELS;
        filed[i] = (Parcel){LEAST + (MOST - LEAST) * rank / PARCELS * rank / PARCELS, rank};
    }
}

int main(int argc, char *argv[]) {
    if (argc < 4) {
        fputs("usage: coast_parcels THREADS DIAL WORK\n", stderr);
        return 2;
    }
    omp_set_num_threads(atoi(argv[1]));
    const int sheets = atoi(argv[3]);
    static Parcel filed[PARCELS];
    file_parcels(filed, atof(argv[2]));
    uint64_t sum = 0;
    for (int sheet = 0; sheet < sheets; sheet++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
        for (int i = 0; i < PARCELS; i++) sum += survey(filed[i], sheet);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
