/* Timetables for a school: a population of them is bred, generation by generation, towards fewer clashes.
 *
 * A child takes its lessons from two good parents, and is then mended by trying other hours for some lessons. The dial
 * is the share of a generation's children that come from the head teacher's shortlist, which the program breeds in a
 * plain loop, as it was before somebody made the other loop parallel. A child costs the same in either. While the plain
 * loop runs, one thread works and the others have nothing to do: a serial part. */
#include <string.h>

#include "../c/work.h"

enum { CHILDREN = 240, LESSONS = 60, HOURS = 40, TRIES = 40, PARENTS = 60 };

typedef struct {
    unsigned char hour[LESSONS];
    int clashes, number;
} Timetable;

static unsigned char teacher[LESSONS], room[LESSONS], form[LESSONS];

static int clashes_of(const Timetable *t, int lesson, int hour) {
    int clashes = 0;
    for (int other = 0; other < LESSONS; other++) {
        if (t->hour[other] != hour || other == lesson) continue;
        clashes += 4 * (teacher[other] == teacher[lesson]) + 4 * (form[other] == form[lesson]) + (room[other] == room[lesson]);
    }
    return clashes + hour % 8 / 6;
}

static Timetable breed(const Timetable *old, long generation, int number) {
    Timetable child = {.number = number};
    uint64_t chance = unit((uint64_t)generation * CHILDREN + (uint64_t)number, 4);
    const Timetable *a = &old[(chance >> 8) % PARENTS], *b = &old[(chance >> 20) % PARENTS];
    for (int lesson = 0; lesson < LESSONS; lesson++)
        child.hour[lesson] = (chance >> lesson % 61 & 1 ? a : b)->hour[lesson];
    for (int try = 0; try < TRIES; try++) {
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        int lesson = (int)((chance >> 33) % LESSONS), hour = (int)((chance >> 45) % HOURS);
        if (clashes_of(&child, lesson, hour) <= clashes_of(&child, lesson, child.hour[lesson]))
            child.hour[lesson] = (unsigned char)hour;
    }
    for (int lesson = 0; lesson < LESSONS; lesson++) child.clashes += clashes_of(&child, lesson, child.hour[lesson]);
    return child;
}

static int compare(const void *one, const void *other) {
    const Timetable *a = one, *b = other;
    return a->clashes != b->clashes ? a->clashes - b->clashes : a->number - b->number;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    static Timetable old[CHILDREN], young[CHILDREN];
    int shortlist = (int)(dial * CHILDREN + 0.5);
    uint64_t history = 0;
    for (int l = 0; l < LESSONS; l++) {
        uint64_t x = unit((uint64_t)l, 5);
        teacher[l] = (x >> 20) % 9, room[l] = (x >> 30) % 7, form[l] = (x >> 40) % 6;
        for (int c = 0; c < CHILDREN; c++) old[c].hour[l] = (unsigned char)(unit((uint64_t)(c * LESSONS + l), 5) % HOURS);
    }
    for (long generation = 0; generation < work; generation++) {
        for (int c = 0; c < shortlist; c++) young[c] = breed(old, generation, c);
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int c = shortlist; c < CHILDREN; c++) young[c] = breed(old, generation, c);
        qsort(young, CHILDREN, sizeof *young, compare);
        memcpy(old, young, sizeof old);
        history = history * 31 + (uint64_t)old[0].clashes * 1000 + (uint64_t)old[CHILDREN / 2].clashes;
    }
    print_answer(history);
    return 0;
}
