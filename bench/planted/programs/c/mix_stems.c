/* Imbalance: a mixing desk renders the songs of an album. Every stem goes through its room's echo (a long FIR filter),
 * and the desk mixes a song when all its stems are rendered; stems 0..half-1 belong to one thread and the rest to the
 * other, fixed before a song begins. The dial puts stems with long echoes first in the session's list, so that with two
 * threads the first half has (1 + dial) / 2 of the arithmetic and the other thread waits for it at the end of each song.
 * The same stems are rendered in any order: only the sizes of the threads' parts change, and one thread has it all. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEMS 64
#define SONGS 6
#define MAX_TAPS 1024
#define BLOCK 256
#define MAX_THREADS 64

typedef struct {
    int number;
    int taps;
    uint64_t level;
} Stem;

typedef struct {
    int from, to;
    int lead;
    pthread_t id;
} Player;

static Stem session[STEMS];
static int player_count, samples;
static pthread_barrier_t song_starts, song_ends;
static uint64_t album;

static uint32_t noise(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static void render(Stem *stem, int song) {
    int32_t echo[MAX_TAPS], line[MAX_TAPS + BLOCK];
    uint32_t room = (uint32_t)stem->number * 2654435761u + 17u;
    uint32_t sound = room ^ (uint32_t)(song + 1) * 40503u;
    int taps = stem->taps;
    uint64_t level = 0;
    for (int k = 0; k < taps; k++) echo[k] = (int32_t)(noise(&room) >> 20) * (taps - k) / taps - 1024;
    memset(line, 0, sizeof line);
    for (int done = 0; done < samples; done += BLOCK) {
        memmove(line, line + BLOCK, (size_t)taps * sizeof *line);
        for (int i = 0; i < BLOCK; i++) line[taps + i] = (int32_t)(noise(&sound) >> 22) - 512;
        for (int i = 0; i < BLOCK; i++) {
            uint32_t wet = 0;
            const int32_t *in = line + i;
            for (int k = 0; k < taps; k++) wet += (uint32_t)(in[k] * echo[k]);
            level = level * 31 + (wet >> 8);
        }
    }
    stem->level = level;
}

static int by_length(const void *a, const void *b) {
    const Stem *x = a, *y = b;
    return x->taps != y->taps ? y->taps - x->taps : x->number - y->number;
}

/* The list of the session: equal halves, then exchanges of long ones behind for short ones in front. */
static void arrange(double dial) {
    long total = 0, front = 0;
    Stem sorted[STEMS];
    for (int i = 0; i < STEMS; i++) {
        double length = 64;
        for (int k = 0; k < i / 2; k++) length *= 1.0911; /* 64 to about 960 taps, two stems of each */
        sorted[i] = (Stem){.number = i, .taps = (int)length / 8 * 8};
        total += sorted[i].taps;
    }
    qsort(sorted, STEMS, sizeof *sorted, by_length);
    Stem *behind = session + STEMS / 2;
    for (int i = 0; i < STEMS; i++) {
        if (i % 2 == 0) session[i / 2] = sorted[i], front += sorted[i].taps;
        else behind[i / 2] = sorted[i];
    }
    double wanted = (1 + dial) / 2 * (double)total;
    for (int i = 0; i < STEMS / 2; i++) {
        int last = STEMS / 2 - 1 - i;
        if (i >= last) break;
        long more = behind[i].taps - session[last].taps;
        if ((double)(front + more) > wanted + 4) continue;
        Stem kept = session[last];
        session[last] = behind[i];
        behind[i] = kept;
        front += more;
    }
}

static void mix(int song) {
    uint64_t levels[STEMS];
    for (int i = 0; i < STEMS; i++) levels[session[i].number] = session[i].level;
    for (int i = 0; i < STEMS; i++) album = (album ^ levels[i]) * 0x100000001b3u + (uint64_t)song;
}

static void *play(void *given) {
    Player *me = given;
    for (int song = 0; song < SONGS; song++) {
        pthread_barrier_wait(&song_starts);
        for (int i = me->from; i < me->to; i++) render(&session[i], song);
        pthread_barrier_wait(&song_ends);
        if (me->lead) mix(song);
    }
    return NULL;
}

int main(int argc, char **argv) {
    Player players[MAX_THREADS];
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    player_count = atoi(argv[1]);
    samples = atoi(argv[3]) * BLOCK;
    if (player_count < 1 || player_count > MAX_THREADS) return 2;
    arrange(atof(argv[2]));
    pthread_barrier_init(&song_starts, NULL, (unsigned)player_count);
    pthread_barrier_init(&song_ends, NULL, (unsigned)player_count);
    for (int p = 0; p < player_count; p++) {
        players[p].from = STEMS * p / player_count;
        players[p].to = STEMS * (p + 1) / player_count;
        players[p].lead = p == 0;
        if (pthread_create(&players[p].id, NULL, play, &players[p]) != 0) return 1;
    }
    for (int p = 0; p < player_count; p++) pthread_join(players[p].id, NULL);
    printf("album %016llx\n", (unsigned long long)album);
    return 0;
}
