/* A fishing net in the current: knots are pulled by the twine between them, step by step.
 *
 * Every knot belongs to a thread, and only that thread adds pulls to it; so twine between knots of two threads is worked
 * out by both, each for its own end. In most rows of the net, threads own blocks of neighbouring knots, and such twine is
 * rare. The dial is the share of the rows whose knots are dealt one by one, like the squares of a chessboard: there every
 * piece of twine joins two threads. The more of that, the more instructions all threads need together, and one thread
 * works out everything once: instruction growth. */
#include <omp.h>
#include <string.h>

#include "../c/work.h"

enum { WIDE = 64, HIGH = 64, KNOTS = WIDE * HIGH, TWINE = 2 * KNOTS, FIBRES = 24 };

struct Knot {
    int32_t x, y;
};

struct Twine {
    int16_t from, to;
    int16_t pulled_from, pulled_to; /* where its pulls are kept, or -1 at a knot of another thread */
};

static struct Knot net[KNOTS];
static int16_t owner[KNOTS], place[KNOTS];
static struct Knot pulls[MOST_THREADS][KNOTS] __attribute__((aligned(4096)));

/* The pull of a piece of twine on its first end: fibres give way one after the other. */
static struct Knot pull(struct Knot a, struct Knot b) {
    int32_t dx = b.x - a.x, dy = b.y - a.y;
    uint32_t stretch = (uint32_t)(dx < 0 ? -dx : dx) + (uint32_t)(dy < 0 ? -dy : dy), force = stretch >> 3;
    for (int fibre = 0; fibre < FIBRES; fibre++) {
        uint32_t share = (stretch * 40503u >> 16) + (force >> 2);
        force = force - (force >> 3) + (share >> 5);
        stretch -= share >> 7;
    }
    int32_t strength = (int32_t)(force & 1023);
    return (struct Knot){(int32_t)((int64_t)dx * strength / 4096), (int32_t)((int64_t)dy * strength / 4096)};
}

/* Lists the twine that a thread works out: all that has an end at one of its knots. */
static int list_twine(struct Twine *list, int thread) {
    int pieces = 0;
    for (int k = 0; k < KNOTS; k++) {
        int ends[2] = {k % WIDE < WIDE - 1 ? k + 1 : -1, k + WIDE < KNOTS ? k + WIDE : -1};
        for (int n = 0; n < 2; n++) {
            int end = ends[n];
            if (end < 0 || (owner[k] != thread && owner[end] != thread)) continue;
            list[pieces++] = (struct Twine){(int16_t)k, (int16_t)end, owner[k] == thread ? place[k] : -1,
                                            owner[end] == thread ? place[end] : -1};
        }
    }
    return pieces;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    const int dealt = (int)(dial * HIGH + 0.5);
    int16_t owned[MOST_THREADS] = {0};
    for (int k = 0; k < KNOTS; k++) {
        int x = k % WIDE, y = k / WIDE;
        uint64_t r = unit((uint64_t)k, 4);
        net[k] = (struct Knot){x * 1000 + (int32_t)(r >> 54), y * 1000 + (int32_t)(r >> 44 & 1023)};
        owner[k] = (int16_t)(y < dealt ? (x + y) % threads : x * threads / WIDE);
        place[k] = owned[owner[k]]++;
    }
#pragma omp parallel num_threads(threads)
    {
        const int me = omp_get_thread_num();
        struct Twine *mine = malloc(TWINE * sizeof *mine);
        const int pieces = list_twine(mine, me);
        for (long step = 0; step < work; step++) {
            struct Knot *pull_on = pulls[me];
            memset(pull_on, 0, (size_t)owned[me] * sizeof *pull_on);
            for (const struct Twine *t = mine; t < mine + pieces; t++) {
                struct Knot p = pull(net[t->from], net[t->to]);
                if (t->pulled_from >= 0) pull_on[t->pulled_from].x += p.x, pull_on[t->pulled_from].y += p.y;
                if (t->pulled_to >= 0) pull_on[t->pulled_to].x -= p.x, pull_on[t->pulled_to].y -= p.y;
            }
#pragma omp barrier
#pragma omp for schedule(static)
            for (int k = 0; k < KNOTS; k++) {
                struct Knot p = pulls[owner[k]][place[k]];
                net[k].x += p.x / 8 + (int32_t)(step & 3);
                net[k].y += p.y / 8;
            }
        }
        free(mine);
    }
    uint64_t sum = 0;
    for (int k = 0; k < KNOTS; k++) sum = sum * 31 + (uint32_t)net[k].x * 7u + (uint32_t)net[k].y;
    print_answer(sum);
    return 0;
}
