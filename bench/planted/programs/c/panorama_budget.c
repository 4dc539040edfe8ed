/* Sleeping lock: stitches panoramas within a budget of memory, a counting semaphore of a mutex and a condition.
 *
 * A panorama is a row of strips; each is shifted against the one before by the offset at which both differ least, some
 * 300 us in all. Before a thread stitches, it takes its share of the budget, and sleeps if there is too little left;
 * all are served in the order in which they came.
 *
 * The dial is the share of the panoramas that are declared to need the whole budget, so that no other can be stitched
 * at the same time; the others need one part, and the budget has one for each thread. The stitching is the same for
 * both, and one thread takes and returns as often and never sleeps. */
#include <stdatomic.h>

#include "work.h"

enum { STRIPS = 48, EDGE = 96, SHIFTS = 40 };

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int left;
    unsigned long arrived, served;
} budget = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0};

static atomic_long next;

static void take(int parts) {
    pthread_mutex_lock(&budget.mutex);
    unsigned long mine = budget.arrived++;
    while (budget.served != mine || budget.left < parts) pthread_cond_wait(&budget.changed, &budget.mutex);
    budget.served++;
    budget.left -= parts;
    pthread_cond_broadcast(&budget.changed);
    pthread_mutex_unlock(&budget.mutex);
}

static void give_back(int parts) {
    pthread_mutex_lock(&budget.mutex);
    budget.left += parts;
    pthread_cond_broadcast(&budget.changed);
    pthread_mutex_unlock(&budget.mutex);
}

/* The brightness along the edge of a strip. */
static void photograph(uint64_t strip, int *edge) {
    uint64_t light = strip * 0x9E3779B97F4A7C15u + 1;
    int bright = 128;
    for (int i = 0; i < EDGE + SHIFTS; i++) {
        light ^= light << 13, light ^= light >> 7, light ^= light << 17;
        bright += (int)(light & 31) - 15 + (128 - bright) / 16;
        edge[i] = bright;
    }
}

static uint64_t stitch(uint64_t panorama) {
    int left[EDGE + SHIFTS], right[EDGE + SHIFTS];
    uint64_t place = 0;
    for (uint64_t strip = 0; strip < STRIPS; strip++) {
        photograph(panorama * STRIPS + strip, left);
        photograph(panorama * STRIPS + strip + 1, right);
        long least = -1, offset = 0;
        for (int shift = 0; shift < SHIFTS; shift++) {
            long differs = 0;
            for (int i = 0; i < EDGE; i++) {
                long by = left[i + shift] - right[i];
                differs += by * by % 1021;
            }
            if (least < 0 || differs < least) least = differs, offset = shift;
        }
        place = place * 41 + (uint64_t)offset;
    }
    return place;
}

static uint64_t stitch_all(int thread) {
    (void)thread;
    uint64_t places = 0;
    for (;;) {
        long panorama = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
        if (panorama >= work) return places;
        int parts = picked((uint64_t)panorama) ? threads : 1;
        take(parts);
        places += stitch((uint64_t)panorama);
        give_back(parts);
    }
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    budget.left = threads;
    print_answer(in_threads(stitch_all));
    return 0;
}
