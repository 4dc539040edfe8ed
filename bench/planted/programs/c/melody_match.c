/* Melody matching: how alike are pairs of tunes, by dynamic time warping.
 *
 * Most comparisons use a table row on the thread's own stack. The dial is the share of the comparisons that use the
 * matcher's one shared workspace instead, under a ticket lock whose waiters ask again and again for their turn. */
#include "work.h"

#include <stdatomic.h>
#include <string.h>

enum { NOTES = 112 };

struct Workspace {
    int row[NOTES + 1];
    signed char tune[NOTES];
};

static struct {
    _Alignas(LINE) atomic_uint next_ticket;
    _Alignas(LINE) atomic_uint now_serving;
    _Alignas(LINE) struct Workspace shared;
} desk;

static void take_turn(void) {
    unsigned mine = atomic_fetch_add_explicit(&desk.next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&desk.now_serving, memory_order_acquire) != mine) __builtin_ia32_pause();
}

static void end_turn(void) {
    unsigned mine = atomic_load_explicit(&desk.now_serving, memory_order_relaxed);
    atomic_store_explicit(&desk.now_serving, mine + 1, memory_order_release);
}

static void hum(signed char *tune, uint64_t number) {
    uint64_t x = number * 0xD1342543DE82EF95u + 0x632BE5AB;
    int pitch = 60;
    for (int i = 0; i < NOTES; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        pitch += (int)(x >> 60) - 7;
        if (pitch < 30) pitch = 30 + (int)(x >> 50 & 7);
        if (pitch > 90) pitch = 90 - (int)(x >> 50 & 7);
        tune[i] = (signed char)pitch;
    }
}

/* The least total difference in pitch when either tune may linger on its notes. */
static int warped(struct Workspace *space, uint64_t number) {
    signed char other[NOTES];
    hum(space->tune, number);
    hum(other, ~number);
    int *row = space->row;
    row[0] = 0;
    for (int j = 1; j <= NOTES; j++) row[j] = 1 << 24;
    for (int i = 0; i < NOTES; i++) {
        int diagonal = row[0], left = 1 << 24;
        row[0] = 1 << 24;
        for (int j = 1; j <= NOTES; j++) {
            int apart = abs(other[i] - space->tune[j - 1]);
            int best = row[j] < diagonal ? row[j] : diagonal;
            diagonal = row[j];
            left = (left < best ? left : best) + apart;
            row[j] = left;
        }
    }
    return row[NOTES];
}

static uint64_t compare(int thread) {
    struct Workspace own;
    uint64_t total = 0;
    for (long pair = first(thread); pair < first(thread + 1); pair++) {
        int apart;
        if (picked(pair)) {
            take_turn();
            apart = warped(&desk.shared, pair);
            end_turn();
        } else {
            apart = warped(&own, pair);
        }
        total += (uint64_t)apart * (uint64_t)(pair + 1);
    }
    return total;
}

int main(int argc, char **argv) { return in_threads_only(argc, argv, compare); }
