/* Blocked on I/O: a ground station decodes a satellite's frames (Viterbi, 64 states) with as many decoders as asked for,
 * and one archivist writes each decoded frame as a small record. In the share `dial` of the satellite's passes every
 * record is made durable (fdatasync) before the archivist takes the next one, and a pass ends when all is on the disk.
 * One decoder is slower than the disk, which hides behind it; two decoders are faster than the disk and wait for it. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BITS = 1280, STATES = 64, FRAMES = 60, RECORD = 512, SLOTS = 8, HANDFUL = 4, MOST = 64 };

struct record {
    long frame;
    unsigned char bytes[RECORD];
};

static struct {
    struct record slot[SLOTS];
    int count, still_to_come;
    pthread_mutex_t lock;
    pthread_cond_t room, handful;
} tray = {.lock = PTHREAD_MUTEX_INITIALIZER, .room = PTHREAD_COND_INITIALIZER, .handful = PTHREAD_COND_INITIALIZER};

static long passes;
static double dial;
static int decoders, disk;
static atomic_long next_frame;
static pthread_barrier_t pass_opens, pass_closed;
static uint64_t archived;

/* The two parity bits of a register of 7 bits (polynomials 171 and 133). */
static unsigned parity(unsigned reg) {
    return (unsigned)__builtin_parity(reg & 0171) << 1 | (unsigned)__builtin_parity(reg & 0133);
}

static unsigned char symbol_of[2 * STATES], cost_of[4][2 * STATES];

static void decode(long frame, unsigned char *out) {
    static _Thread_local uint64_t decision[BITS];
    unsigned short metric[2][STATES];
    uint64_t seed = (uint64_t)(frame + 1) * 0x9E3779B97F4A7C15u;
    unsigned reg = 0, now = 0;
    for (int s = 0; s < STATES; s++) metric[0][s] = s == 0 ? 0 : 60;
    for (int i = 0; i < BITS; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        reg = (reg << 1 | (seed & 1)) & 127;
        unsigned heard = symbol_of[reg] ^ ((seed >> 8 & 31) == 0) ^ (unsigned)((seed >> 16 & 31) == 0) << 1;
        const unsigned short *old = metric[now];
        unsigned short *new = metric[now ^= 1];
        const unsigned char *cost = cost_of[heard];
        uint64_t chosen = 0;
        for (unsigned s = 0; s < STATES; s++) { /* from s >> 1, or from that with the oldest bit set */
            unsigned low = s >> 1, high = low | 32;
            unsigned a = old[low] + cost[s];
            unsigned b = old[high] + cost[s | 64];
            unsigned better = b < a;
            new[s] = (unsigned short)(better ? b : a);
            chosen |= (uint64_t)better << s;
        }
        decision[i] = chosen;
    }
    unsigned state = 0, best = 65535;
    for (unsigned s = 0; s < STATES; s++)
        if (metric[now][s] < best) best = metric[now][s], state = s;
    memset(out, 0, RECORD);
    for (int i = BITS - 1; i >= 0; i--) {
        out[i / 8] |= (unsigned char)((state & 1) << i % 8);
        state = state >> 1 | (unsigned)(decision[i] >> state & 1) << 5;
    }
}

static void *decoder(void *unused) {
    for (long pass = 0; pass < passes; pass++) {
        pthread_barrier_wait(&pass_opens);
        long end = (pass + 1) * FRAMES;
        for (;;) {
            long frame = atomic_load(&next_frame);
            while (frame < end && !atomic_compare_exchange_weak(&next_frame, &frame, frame + 1)) continue;
            if (frame >= end) break;
            struct record done = {.frame = frame};
            decode(frame, done.bytes);
            pthread_mutex_lock(&tray.lock);
            while (tray.count == SLOTS) pthread_cond_wait(&tray.room, &tray.lock);
            tray.slot[tray.count++] = done;
            tray.still_to_come--;
            if (tray.count == HANDFUL || tray.still_to_come == 0) pthread_cond_signal(&tray.handful);
            pthread_mutex_unlock(&tray.lock);
        }
        pthread_barrier_wait(&pass_closed);
    }
    return unused;
}

static int is_durable(long pass) { return (long)((double)(pass + 1) * dial + 1e-9) > (long)((double)pass * dial + 1e-9); }

static void keep(const struct record *got, int durable) {
    if (pwrite(disk, got->bytes, RECORD, (off_t)got->frame * RECORD) != RECORD) exit(3);
    if (durable && fdatasync(disk) != 0) exit(3);
    uint64_t sum = (uint64_t)got->frame;
    for (int i = 0; i < BITS / 8; i++) sum = sum * 1099511628211u + got->bytes[i];
    archived += sum;
}

static void *archivist(void *unused) {
    for (long pass = 0; pass < passes; pass++) {
        pthread_barrier_wait(&pass_opens);
        int durable = is_durable(pass);
        for (int kept = 0; kept < FRAMES;) {
            struct record got[SLOTS];
            pthread_mutex_lock(&tray.lock);
            while (tray.count < HANDFUL && tray.still_to_come > 0) pthread_cond_wait(&tray.handful, &tray.lock);
            int count = tray.count;
            memcpy(got, tray.slot, (size_t)count * sizeof *got);
            tray.count = 0;
            pthread_cond_broadcast(&tray.room);
            pthread_mutex_unlock(&tray.lock);
            for (int k = 0; k < count; k++) keep(&got[k], durable);
            kept += count;
        }
        tray.still_to_come = FRAMES; /* nobody decodes between two passes */
        pthread_barrier_wait(&pass_closed);
    }
    return unused;
}

static int open_archive(void) {
    char path[PATH_MAX];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/downlink-XXXXXX", folder && *folder ? folder : "/var/tmp");
    int file = mkstemp(path);
    if (file < 0) exit(3);
    unlink(path);
    return file;
}

int main(int argc, char **argv) {
    pthread_t crew[MOST + 1];
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    decoders = atoi(argv[1]);
    dial = atof(argv[2]);
    passes = atol(argv[3]);
    if (decoders < 1 || decoders > MOST) return 2;
    for (unsigned r = 0; r < 2 * STATES; r++) symbol_of[r] = (unsigned char)parity(r);
    for (unsigned h = 0; h < 4; h++)
        for (unsigned r = 0; r < 2 * STATES; r++)
            cost_of[h][r] = (unsigned char)((symbol_of[r] ^ h) % 2 + (symbol_of[r] ^ h) / 2);
    disk = open_archive();
    tray.still_to_come = FRAMES;
    pthread_barrier_init(&pass_opens, NULL, (unsigned)decoders + 1);
    pthread_barrier_init(&pass_closed, NULL, (unsigned)decoders + 1);
    for (int i = 0; i <= decoders; i++)
        if (pthread_create(&crew[i], NULL, i == 0 ? archivist : decoder, NULL) != 0) return 1;
    for (int i = 0; i <= decoders; i++) pthread_join(crew[i], NULL);
    printf("archive %016llx\n", (unsigned long long)archived);
    return 0;
}
