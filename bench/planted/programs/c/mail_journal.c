/* A mail server's journal: each thread packs messages into records and appends them to a file of its own.
 *
 * The dial is the share of records that are appended and synchronized (write and fsync); the others are only packed.
 * Each such record lets its file grow, so all threads wait in turn, in state D, for the one journal of the file system:
 * I/O. The files lie in $TMPDIR or else /var/tmp, which must be on a disk, and are unlinked at once. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 16 << 10, KEYS = 4096 };

struct Writer {
    pthread_t id;
    long first, end;
    uint64_t sum;
};

static double dial;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* Messages of random words, packed by references to the last place of the same three letters. */
static uint64_t pack(unsigned char *record, long number, unsigned short *last) {
    uint64_t r = mix((uint64_t)number + 1), hash = 0;
    memset(last, 0, KEYS * sizeof *last);
    memset(record, 0, 3);
    for (int i = 3, at = 3; i < RECORD; i++) {
        if (i % 8 == 0) r = r * 6364136223846793005u + 1442695040888963407u;
        record[i] = "etaoin shrdlucmf"[r >> (8 + 4 * (i % 8)) & 15];
        unsigned key = (record[i] | record[i - 1] << 4 | (unsigned)record[i - 2] << 7) & (KEYS - 1);
        hash = (hash ^ (last[key] & 0xFFFu)) * 0x100000001B3u;
        last[key] = (unsigned short)at++;
    }
    return hash;
}

static void *append(void *given) {
    struct Writer *w = given;
    char name[256];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/mail-journal-XXXXXX", folder ? folder : "/var/tmp");
    int file = mkstemp(name);
    if (file < 0) exit(1);
    unlink(name);
    unsigned char *record = malloc(RECORD);
    unsigned short *last = malloc(KEYS * sizeof *last);
    for (long i = w->first; i < w->end; i++) {
        w->sum += pack(record, i, last);
        if ((double)(mix((uint64_t)i * 31 + 7) >> 11) * 0x1p-53 >= dial) continue;
        if (write(file, record, RECORD) != RECORD || fsync(file)) exit(1);
    }
    free(record);
    free(last);
    close(file);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    dial = atof(argv[2]);
    long records = atol(argv[3]);
    struct Writer writers[64] = {0};
    for (int t = 0; t < threads; t++) {
        writers[t].first = records * t / threads;
        writers[t].end = records * (t + 1) / threads;
        if (pthread_create(&writers[t].id, 0, append, &writers[t])) return 1;
    }
    uint64_t sum = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(writers[t].id, 0);
        sum += writers[t].sum;
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
