/* Whale song: looks for calls in the sound of a hydrophone.
 *
 * The recording is searched hour by hour. All threads first get the minutes of the hour together, each its part; when
 * the loudest sound of the hour is known, each analyses its part. A minute can be made again from the seed of the
 * recording, or read from the archive, a temporary file on disk that is not cached; both give the same samples. The
 * dial is the share of the minutes that are read. The disk serves one reader at a time, and the others wait. */
#define _GNU_SOURCE
#include "work.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MINUTE = 1 << 20, SAMPLES = MINUTE / 2, SHELF = 3, HOUR = 20, PITCH = 31000 };

static int archive;
static atomic_int loudest[4096];
static pthread_barrier_t hour_ready;

static void make_minute(int16_t *sound, unsigned tape) {
    uint64_t x = tape * 0x9E3779B97F4A7C15u + 0x0CEA;
    for (long i = 0; i < SAMPLES; i += 4) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t four = x * 0x2545F4914F6CDD1Du;
        four ^= (four >> 9 & 0x0007000700070007u) * 5;
        memcpy(sound + i, &four, 8);
    }
}

static void read_minute(int16_t *sound, unsigned tape) {
    for (long got = 0; got < MINUTE;) {
        long more = pread(archive, (char *)sound + got, MINUTE - got, (off_t)tape * MINUTE + got);
        if (more <= 0) exit(3);
        got += more;
    }
}

static int peak(const int16_t *sound) {
    int most = 0;
    for (long i = 0; i < SAMPLES; i += 64) most = sound[i] > most ? sound[i] : most;
    return most;
}

/* How strongly the pitch of the call sounds in a minute: Goertzel's filter, in whole numbers. */
static uint64_t listen(const int16_t *sound, int loud) {
    int64_t before = 0, now = 0;
    uint64_t calls = 0;
    for (long i = 0; i < SAMPLES; i++) {
        int64_t next = (sound[i] >> 4) + (PITCH * now >> 14) - before;
        before = now;
        now = next;
        if ((i & 255) == 255) {
            calls += (uint64_t)(now * now + before * before) / ((unsigned)loud + 1) >> 12;
            now = before = 0;
        }
    }
    return calls & 0xFFFFFFFFFF;
}

static uint64_t watch(int thread) {
    int from = HOUR * thread / threads, to = HOUR * (thread + 1) / threads;
    int16_t *minutes;
    if (posix_memalign((void **)&minutes, 4096, (size_t)(to - from) * MINUTE) != 0) exit(1);
    uint64_t heard = 0;
    for (long hour = 0; hour < work; hour++) {
        int loud = 0;
        for (int m = from; m < to; m++) {
            long minute = hour * HOUR + m;
            int16_t *sound = minutes + (long)(m - from) * SAMPLES;
            /* Evenly spread, as when every so many minutes have been archived. */
            int archived = (long)((double)(minute + 1) * dial) > (long)((double)minute * dial);
            (archived ? read_minute : make_minute)(sound, minute % SHELF);
            int most = peak(sound);
            loud = most > loud ? most : loud;
        }
        int known = atomic_load(&loudest[hour % 4096]);
        while (known < loud && !atomic_compare_exchange_weak(&loudest[hour % 4096], &known, loud)) {}
        pthread_barrier_wait(&hour_ready);
        loud = atomic_load(&loudest[hour % 4096]);
        for (int m = from; m < to; m++)
            heard += listen(minutes + (long)(m - from) * SAMPLES, loud) * (uint64_t)(m % 97 + 1);
    }
    free(minutes);
    return heard;
}

static void stock_archive(void) {
    char name[] = "whale_song.XXXXXX";
    int made = mkstemp(name);
    if (made < 0) exit(3);
    archive = open(name, O_RDWR | O_DIRECT);
    unlink(name);
    close(made);
    int16_t *sound;
    if (archive < 0 || posix_memalign((void **)&sound, 4096, MINUTE) != 0) exit(3);
    for (int tape = 0; tape < SHELF; tape++) {
        make_minute(sound, tape);
        if (pwrite(archive, sound, MINUTE, (off_t)tape * MINUTE) != MINUTE) exit(3);
    }
    free(sound);
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    stock_archive();
    pthread_barrier_init(&hour_ready, 0, threads);
    print_answer(in_threads(watch));
    pthread_barrier_destroy(&hour_ready);
    return 0;
}
