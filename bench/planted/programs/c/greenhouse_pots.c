/* A greenhouse: pots are watered hour by hour, each after its water and its warmth, by several gardeners.
 *
 * Pots are dealt to the gardeners in turn. What is known of a pot stands in a tray of its gardener, or on the common
 * bench, where pots stand in the order of their numbers. The dial is the share of the pots that are on the bench: there
 * each has neighbours of other gardeners in its cache line, though nobody ever looks at another's pot. False sharing. */
#include "work.h"

enum { POTS = 512, DAY = 24 };

struct Pot {
    uint32_t water, warmth;
};

static _Alignas(LINE) struct Pot bench[POTS];
static uint32_t sunlight[DAY];

/* One hour of a pot: the plant drinks and breathes, and gets as much as the can gives. Returns what was poured. */
static inline uint32_t tend(struct Pot *pot, uint32_t sun, uint32_t can) {
    uint32_t water = pot->water, warmth = pot->warmth;
    warmth += (sun - (warmth >> 4)) >> 3;
    for (int leaf = 0; leaf < 3; leaf++) {
        uint32_t drunk = (water >> 5) + (warmth >> 12);
        water -= drunk < water ? drunk : water;
        warmth ^= (water * 2654435761u) >> 20;
    }
    uint32_t wanted = water < 40000 ? 60000 - water : 0, poured = wanted < can ? wanted : can;
    pot->water = water + poured;
    pot->warmth = warmth;
    return poured;
}

static uint64_t garden(int gardener) {
    int own = 0, on_bench = (int)(dial * POTS + 0.5);
    struct Pot *tray = aligned_alloc(4096, POTS * sizeof *tray), *places[POTS];
    if (!tray) exit(1);
    for (int pot = gardener; pot < POTS; pot += threads, own++) {
        /* Which ones stand on the bench: spread evenly by eights, so that there are whole lines of them. */
        places[own] = pot / 8 * 37 % (POTS / 8) * 8 < on_bench ? &bench[pot] : &tray[own];
        *places[own] = (struct Pot){(uint32_t)(unit((uint64_t)pot, 4) >> 48), 20000};
    }
    uint64_t poured = 0;
    for (long hour = 0; hour < work; hour++) {
        uint32_t sun = sunlight[hour % DAY];
        for (int p = 0; p < own; p++) poured += tend(places[p], sun, 9000);
    }
    for (int p = 0; p < own; p++) poured += (uint64_t)places[p]->water * 31 + places[p]->warmth;
    free(tray);
    return poured;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (int hour = 0; hour < DAY; hour++) {
        int from_noon = hour < 12 ? 12 - hour : hour - 12;
        sunlight[hour] = from_noon < 6 ? 60000u - 9000u * (uint32_t)from_noon : 4000;
    }
    print_answer(in_threads(garden));
    return 0;
}
