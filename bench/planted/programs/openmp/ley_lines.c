/* Ley lines: how many straight lines of three are there among the standing stones of each county, and do they beat
 * chance? (They do not.)
 *
 * Every stone is tried with all pairs of stones that come after it in the county's list, so the first stone of the list
 * takes by far the longest. Stones are given to threads in chunks, turn and turn about, and the dial is the size of a
 * chunk, as a share of the list; 0 means single stones. The larger the chunks, the more the threads that get the first
 * ones have to do: imbalance. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STONES 320
#define WIDTH 65536

typedef struct {
    int64_t east, north;
} Stone;

static uint64_t random_state;

static uint64_t draw(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void survey(Stone *stones, int county) {
    random_state = 88172645463325252u + (uint64_t)county * 7919;
    for (int warm = 0; warm < 8; warm++) draw();
    for (int s = 0; s < STONES; s++) {
        stones[s].east = (int64_t)(draw() % WIDTH);
        stones[s].north = (int64_t)(draw() % WIDTH);
    }
}

/* Lines that go from this stone through two later ones: the triangle of the three is flat. */
static int64_t lines_from(const Stone *stones, int first) {
    int64_t lines = 0;
    for (int second = first + 1; second < STONES; second++) {
        int64_t east = stones[second].east - stones[first].east, north = stones[second].north - stones[first].north;
        int64_t flat = (llabs(east) + llabs(north)) * 24;
        for (int third = second + 1; third < STONES; third++) {
            int64_t area = east * (stones[third].north - stones[first].north) -
                           north * (stones[third].east - stones[first].east);
            lines += llabs(area) < flat;
        }
    }
    return lines;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL COUNTIES\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]), counties = atoi(argv[3]);
    int chunk = (int)(atof(argv[2]) * STONES + 0.5);
    if (chunk < 1) chunk = 1;

    int64_t most = 0, all = 0;
    for (int county = 0; county < counties; county++) {
        Stone stones[STONES];
        int64_t lines = 0;
        survey(stones, county);
#pragma omp parallel for num_threads(threads) schedule(static, chunk) reduction(+ : lines)
        for (int stone = 0; stone < STONES; stone++) lines += lines_from(stones, stone);
        if (lines > most) most = lines;
        all += lines;
    }
    printf("%lld lines, at most %lld in a county\n", (long long)all, (long long)most);
    return 0;
}
