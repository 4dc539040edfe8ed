/* Plays games of Othello with a player that looks one move ahead, and keeps a table of the league. Games are dealt out
 * in turn, and every thread notes its moves and points in its own entry of the scoreboard; the dial is the share of the
 * moves that are noted at once, in entries that share a cache line with those of the other threads. It looks like false
 * sharing, but there are microseconds of search between two notes: a decoy that scales at every dial. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 };

typedef struct {
    uint64_t moves, points;
} Entry;

static _Alignas(128) volatile Entry board_of_scores[MOST];
static _Alignas(128) int threads;
static long games;
static uint32_t threshold;

static const uint64_t NOT_LEFT = 0xfefefefefefefefeu, NOT_RIGHT = 0x7f7f7f7f7f7f7f7fu;

static inline uint64_t step(uint64_t b, int direction) {
    switch (direction) {
    case 0: return b << 1 & NOT_LEFT;
    case 1: return b >> 1 & NOT_RIGHT;
    case 2: return b << 8;
    case 3: return b >> 8;
    case 4: return b << 9 & NOT_LEFT;
    case 5: return b >> 9 & NOT_RIGHT;
    case 6: return b << 7 & NOT_RIGHT;
    default: return b >> 7 & NOT_LEFT;
    }
}

static uint64_t legal(uint64_t own, uint64_t other) {
    uint64_t empty = ~(own | other), found = 0;
    for (int d = 0; d < 8; d++) {
        uint64_t run = step(own, d) & other;
        for (int i = 0; i < 5; i++) run |= step(run, d) & other;
        found |= step(run, d) & empty;
    }
    return found;
}

static uint64_t turned(uint64_t own, uint64_t other, uint64_t stone) {
    uint64_t all = 0;
    for (int d = 0; d < 8; d++) {
        uint64_t run = step(stone, d) & other, last = run;
        while (last) {
            last = step(last, d);
            if (last & own) {
                all |= run;
                break;
            }
            last &= other;
            run |= last;
        }
    }
    return all;
}

static int count(uint64_t b) { return __builtin_popcountll(b); }

/* The move after which the other has the fewest moves; chance decides between equals. */
static uint64_t choose(uint64_t own, uint64_t other, uint64_t moves, uint64_t *chance) {
    uint64_t best = 0;
    int best_value = -1000000;
    while (moves) {
        uint64_t stone = moves & -moves;
        moves ^= stone;
        uint64_t flips = turned(own, other, stone);
        uint64_t o = own | flips | stone, e = other & ~flips;
        int value = 8 * (count(legal(o, e)) - 2 * count(legal(e, o)));
        if (stone & 0x8100000000000081u) value += 200;
        *chance = *chance * 6364136223846793005u + 1442695040888963407u;
        value += (int)(*chance >> 59);
        if (value > best_value) {
            best_value = value;
            best = stone;
        }
    }
    return best;
}

static void note(int me, uint64_t moves, uint64_t points) {
    board_of_scores[me].moves += moves;
    board_of_scores[me].points += points;
}

static void play(int me, long game) {
    uint64_t own = 0x0000000810000000u, other = 0x0000001008000000u;
    uint64_t chance = ((uint64_t)game + 1) * 0x9E3779B97F4A7C15u, later_moves = 0, later_points = 0;
    for (int passes = 0; passes < 2;) {
        uint64_t moves = legal(own, other);
        if (moves) {
            uint64_t stone = choose(own, other, moves, &chance);
            uint64_t flips = turned(own, other, stone);
            own |= flips | stone;
            other &= ~flips;
            passes = 0;
            uint64_t points = (uint64_t)count(flips) * (chance >> 56);
            if ((uint32_t)(chance >> 24) < threshold) {
                note(me, 1, points);
            } else {
                later_moves++;
                later_points += points;
            }
        } else {
            passes++;
        }
        uint64_t swap = own;
        own = other;
        other = swap;
    }
    note(me, later_moves, later_points + (uint64_t)(64 + count(own) - count(other)));
}

static void *club(void *given) {
    int me = (int)(intptr_t)given;
    for (long game = me; game < games; game += threads) play(me, game);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    threshold = dial >= 1 ? UINT32_MAX : (uint32_t)(dial * 0x1p32);
    games = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    pthread_t ids[MOST];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&ids[t], 0, club, (void *)(intptr_t)t) != 0) return 1;
    uint64_t moves = 0, points = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], 0);
        moves += board_of_scores[t].moves;
        points += board_of_scores[t].points;
    }
    printf("%llu moves, %llu points\n", (unsigned long long)moves, (unsigned long long)points);
    return 0;
}
