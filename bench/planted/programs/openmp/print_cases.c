/* Fingerprints: case after case, the prints of a scene are searched for in a register.
 *
 * How like two prints must be depends on how the case before went, so cases follow one another, and a case's prints are
 * searched for together, as tasks. The dial is how many prints a task has at least (0 means one); a case has 11 to 44.
 * With large tasks a case has few of them, and in the end some threads find none: too few tasks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 24, REGISTER = 40, TURNS = 6, MOST = 44 };

struct Point {
    int x, y, angle;
};

struct Print {
    struct Point points[POINTS];
};

static struct Print on_file[REGISTER];

static void take(struct Print *print, uint32_t seed) {
    for (int p = 0; p < POINTS; p++) {
        seed = seed * 1664525u + 1013904223u;
        print->points[p].x = (int)(seed >> 24);
        seed = seed * 1664525u + 1013904223u;
        print->points[p].y = (int)(seed >> 24);
        print->points[p].angle = (int)(seed >> 12 & 255);
    }
}

/* How many points of the one print have a partner in the other, when it is turned. */
static int alike(const struct Print *one, const struct Print *other, int turn) {
    int count = 0;
    for (int p = 0; p < POINTS; p++) {
        int x = one->points[p].x - turn * one->points[p].y / 64, y = one->points[p].y + turn * one->points[p].x / 64, best = 1 << 20;
        for (int q = 0; q < POINTS; q++) {
            int dx = x - other->points[q].x, dy = y - other->points[q].y;
            int turned = (one->points[p].angle + turn * 3 - other->points[q].angle) & 255, far = dx * dx + dy * dy + turned * 4;
            if (far < best) best = far;
        }
        count += best < 700;
    }
    return count;
}

static int search(uint32_t seed, int threshold) {
    struct Print found;
    int hits = 0;
    take(&found, seed);
    for (int r = 0; r < REGISTER; r++) {
        int best = 0;
        for (int turn = -TURNS / 2; turn < TURNS / 2; turn++) {
            int points = alike(&found, &on_file[r], turn);
            if (points > best) best = points;
        }
        hits += best > threshold ? best : 0;
    }
    return hits;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const int threads = atoi(argv[1]), bundle = atof(argv[2]) < 1 ? 1 : atoi(argv[2]), cases = atoi(argv[3]);
    unsigned long hits = 0;
    for (uint32_t r = 0; r < REGISTER; r++) take(&on_file[r], r * 977 + 5);
#pragma omp parallel num_threads(threads)
#pragma omp single
    {
        int threshold = 9, result[MOST];
        for (int c = 0; c < cases; c++) {
            int prints = 11 + c * 13 % 34;
#pragma omp taskloop grainsize(bundle) shared(result) firstprivate(c, threshold)
            for (int p = 0; p < prints; p++) result[p] = search((uint32_t)(c * 64 + p) * 2654435761u, threshold);
            unsigned long sum = 0;
            for (int p = 0; p < prints; p++) sum += (unsigned long)result[p];
            hits += sum * (unsigned long)(c % 7 + 1);
            threshold = sum > 300ul * (unsigned long)prints ? 11 : 9;
        }
    }
    printf("%lu\n", hits);
    return 0;
}
