/* Dust plumes in satellite scenes: every scene is smoothed, and its bright spots are counted.
 *
 * Page faults. The smoothed scene needs room. A thread keeps its room from scene to scene, or maps fresh room for the
 * scene and unmaps it afterwards, so that each of its pages is faulted in again under the one lock of the process's
 * memory. The dial is the share of the scenes with fresh room. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PITCH 2048 /* A line of the sensor; only a strip of it is of interest. */
#define STRIP 80
#define HIGH 240

typedef uint16_t Row[PITCH];

static Row *new_room(void) {
    void *at = mmap(NULL, HIGH * sizeof(Row), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) exit(1);
    return at;
}

static void give_back(Row *room) { munmap(room, HIGH * sizeof(Row)); }

static uint32_t sky(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 22; }

/* A running mean along the rows, and from row to row. */
static void smooth(long scene, Row *out) {
    uint32_t state = (uint32_t)scene * 2654435761u + 3;
    for (int y = 0; y < HIGH; y++) {
        uint32_t mean = 512;
        for (int x = 0; x < STRIP; x++) {
            mean = (mean * 7 + sky(&state)) / 8;
            out[y][x] = (uint16_t)(y > 0 ? (mean + out[y - 1][x]) / 2 : mean);
        }
    }
}

static uint64_t plumes(const Row *scene) {
    uint64_t found = 0;
    for (int y = 1; y < HIGH; y += 2)
        for (int x = 1; x < STRIP - 1; x++)
            found += scene[y][x] > scene[y][x - 1] && scene[y][x] > scene[y][x + 1] ? scene[y][x] : 0;
    return found;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    omp_set_num_threads(atoi(argv[1]));
    double dial = atof(argv[2]);
    long scenes = atol(argv[3]);
    uint64_t sum = 0;
    #pragma omp parallel reduction(+ : sum)
    {
        Row *kept = new_room();
        #pragma omp for schedule(static)
        for (long s = 0; s < scenes; s++) {
            int fresh = (double)((uint32_t)s * 2246822519u >> 8) < dial * (1 << 24);
            Row *room = fresh ? new_room() : kept;
            smooth(s, room);
            sum += plumes((const Row *)room) * (uint64_t)(s % 7 + 1);
            if (fresh) give_back(room);
        }
        give_back(kept);
    }
    printf("%llu\n", (unsigned long long)sum);
    return 0;
}
