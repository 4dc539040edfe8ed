/* An epidemic on a map: 16 districts of cells are stepped day by day, the threads meet at a barrier after each day, and
 * then each thread writes its districts to a spool file of its own (in TMPDIR or /var/tmp, removed at once).
 *
 * The dial is the number of 80 KB records that a district writes a day, each with a direct write that returns when the
 * disk has it. The disk takes so many bytes a second and no more: two threads that write at the same time wait about
 * twice as long for each record, so this part of the day does not get shorter with more threads: this is I/O. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DISTRICTS 16
#define ROWS 40
#define WIDTH 512
#define HEIGHT (DISTRICTS * ROWS)
#define RECORD (ROWS * WIDTH * 4)
#define SLOTS 24

typedef uint8_t Map[HEIGHT + 2][WIDTH + 2];

static Map maps[2];
static pthread_barrier_t end_of_day;
static int threads;
static long days;
static double dial;

struct Officer {
    pthread_t id;
    int first, end;
    int spool;
    long commits;
    uint32_t *record;
};

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint32_t chance(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* 0 is healthy, 1 to 5 are days of illness, 6 to 40 are days of immunity. */
static void step_district(int district, long day) {
    Map *now = &maps[day & 1], *next = &maps[~day & 1];
    for (int y = 1 + district * ROWS; y <= (district + 1) * ROWS; y++) {
        const uint8_t *above = (*now)[y - 1], *here = (*now)[y], *below = (*now)[y + 1];
        for (int x = 1; x <= WIDTH; x++) {
            uint32_t ill = 0;
            ill += (uint8_t)(above[x] - 1) < 5;
            ill += (uint8_t)(below[x] - 1) < 5;
            ill += (uint8_t)(here[x - 1] - 1) < 5;
            ill += (uint8_t)(here[x + 1] - 1) < 5;
            uint32_t dice = chance((uint32_t)day * 0x9E3779B9u + (uint32_t)(y * WIDTH + x)) >> 16;
            uint32_t caught = dice < ill * 9000 + 6;
            uint32_t aged = here[x] >= 40 ? 0 : here[x] + 1u;
            (*next)[y][x] = (uint8_t)(here[x] == 0 ? caught : aged);
        }
    }
}

static int open_spool(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/epidemic-XXXXXX", folder != 0 && *folder != 0 ? folder : "/var/tmp");
    int spool = mkostemp(path, O_CLOEXEC);
    if (spool < 0) fail(path);
    unlink(path);
    if (posix_fallocate(spool, 0, (off_t)RECORD * SLOTS) != 0) fail("spool");
    /* Some file systems cannot write directly; there the records are only copied. */
    fcntl(spool, F_SETFL, fcntl(spool, F_GETFL) | O_DIRECT);
    return spool;
}

static void commit_record(struct Officer *officer, int district, long day) {
    const Map *map = &maps[~day & 1];
    for (int row = 0; row < ROWS; row++)
        for (int x = 0; x < WIDTH; x++)
            officer->record[row * WIDTH + x] = (uint32_t)day << 8 | (*map)[1 + district * ROWS + row][1 + x];
    off_t at = officer->commits++ % SLOTS * RECORD;
    if (pwrite(officer->spool, officer->record, RECORD, at) != RECORD) fail("record");
}

static void *run_officer(void *given) {
    struct Officer *officer = given;
    double owed = dial;
    for (long day = 0; day < days; day++) {
        for (int d = officer->first; d < officer->end; d++) step_district(d, day);
        pthread_barrier_wait(&end_of_day);
        long records = (long)(owed * (double)(day + 1)) - (long)(owed * (double)day);
        for (int d = officer->first; d < officer->end; d++)
            for (long r = 0; r < records; r++) commit_record(officer, d, day);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    days = atol(argv[3]);
    if (threads < 1 || threads > DISTRICTS) return 2;

    for (int y = 1; y <= HEIGHT; y++)
        for (int x = 1; x <= WIDTH; x++) maps[0][y][x] = chance((uint32_t)(x * 7919 + y)) % 300 == 0;
    pthread_barrier_init(&end_of_day, 0, (unsigned)threads);
    struct Officer *officers = calloc((size_t)threads, sizeof *officers);
    if (officers == 0) fail("officers");
    for (int t = 0; t < threads; t++) {
        officers[t].first = DISTRICTS * t / threads;
        officers[t].end = DISTRICTS * (t + 1) / threads;
        officers[t].spool = open_spool();
        officers[t].record = aligned_alloc(4096, RECORD);
        if (officers[t].record == 0) fail("record");
        if (pthread_create(&officers[t].id, 0, run_officer, &officers[t]) != 0) fail("thread");
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(officers[t].id, 0);
        close(officers[t].spool);
        free(officers[t].record);
    }
    uint64_t answer = 0;
    for (int y = 1; y <= HEIGHT; y++)
        for (int x = 1; x <= WIDTH; x++) answer = answer * 6364136223846793005u + maps[days & 1][y][x];
    printf("%016llx\n", (unsigned long long)answer);
    free(officers);
    return 0;
}
