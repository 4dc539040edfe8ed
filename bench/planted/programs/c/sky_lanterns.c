/* A lantern festival: paper lanterns rise over a town, minute by minute, in a wind that they turn a little themselves.
 *
 * The town is cut into strips from west to east, one for each thread, which moves the lanterns that were lit there. Most
 * are lit in the old town, in the east. The dial says where the strips' borders are: at 0 every strip has equally many
 * lanterns, at 1 every strip is equally wide, and between the two they are moved in proportion. After every minute all
 * threads meet, since the wind depends on where all lanterns are. Strips are uneven: imbalance. */
#include "work.h"

enum { LANTERNS = 4096, SECONDS = 240 };

struct Lantern {
    uint32_t east, height, heat;
};

static struct Lantern sky[LANTERNS];
static int border[MOST_THREADS + 1];
static struct { _Alignas(LINE) uint64_t heights; } told[2][MOST_THREADS];
static pthread_barrier_t minute_over;

/* Lanterns are numbered from west to east: most of them are where the sixth power is large. */
static double lit_at(int number) {
    double u = (LANTERNS - number - 0.5) / LANTERNS;
    return 1 - u * u * u * u * u * u;
}

static void set_borders(void) {
    for (int strip = 1; strip < threads; strip++) {
        int equal = (int)((long)LANTERNS * strip / threads), wide = 0;
        while (wide < LANTERNS && lit_at(wide) * threads < strip) wide++;
        border[strip] = (int)(equal + dial * (wide - equal));
    }
    border[threads] = LANTERNS;
}

static void rise(struct Lantern *one, uint32_t wind) {
    uint32_t east = one->east, height = one->height, heat = one->heat;
    for (int second = 0; second < SECONDS; second++) {
        uint32_t gust = (east ^ height * 40503u) >> 9 & 63;
        heat -= heat >> 11;
        height += (heat >> 14) + (gust & 7);
        east += wind + gust;
        if (heat < 1u << 20) heat += 3u << 21;
    }
    *one = (struct Lantern){east, height, heat};
}

static uint64_t fly(int strip) {
    uint32_t wind = 5;
    for (long minute = 0; minute < work; minute++) {
        uint64_t heights = 0, all = 0;
        for (int l = border[strip]; l < border[strip + 1]; l++) {
            rise(&sky[l], wind);
            heights += sky[l].height;
        }
        told[minute & 1][strip].heights = heights;
        pthread_barrier_wait(&minute_over);
        for (int other = 0; other < threads; other++) all += told[minute & 1][other].heights;
        wind = (uint32_t)(all / LANTERNS >> 6 & 15);
    }
    uint64_t sum = 0;
    for (int l = border[strip]; l < border[strip + 1]; l++) sum += (uint64_t)sky[l].east * 3 + sky[l].height;
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (int l = 0; l < LANTERNS; l++)
        sky[l] = (struct Lantern){(uint32_t)(lit_at(l) * 1e6), 0, (3u << 21) + (uint32_t)(unit((uint64_t)l, 3) >> 44)};
    set_borders();
    pthread_barrier_init(&minute_over, 0, (unsigned)threads);
    print_answer(in_threads(fly));
    return 0;
}
