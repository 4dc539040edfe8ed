/* Reads the access log of a site and sums the traffic of every user; each user belongs to one thread. Lines about the
 * users of other threads are handed over in batches, and the dial is the share of the batches that go through a spool
 * file, written and synced before the next line is read, instead of memory. The thread waits for the disk meanwhile;
 * a single thread owns all users and hands nothing over: blocked on I/O. Spools are made in TMPDIR or /var/tmp. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USERS = 2048, BATCH = 1024, MOST = 64 };

typedef struct {
    uint32_t user, bytes;
} Record;

typedef struct {
    int file; /* -1 until something is spooled */
    long spooled;
    int filled;
    long batches;
    Record batch[BATCH];
    uint64_t in_memory[USERS];
} Lane; /* from one thread to another */

typedef struct {
    pthread_t id;
    int number;
    uint64_t traffic[USERS];
    Lane *lanes;
} Reader;

static int threads;
static long lines;
static double dial;
static Reader *readers[MOST];
static pthread_barrier_t all_read;

static uint64_t stir(uint64_t v) {
    v = (v + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
    v = (v ^ v >> 29) * 0x94D049BB133111EBu;
    return v ^ v >> 32;
}

static char *put_number(char *at, uint32_t v) {
    char digits[10];
    int n = 0;
    do digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n) *at++ = digits[--n];
    return at;
}

static char *put_word(char *at, const char *word) {
    while (*word) *at++ = *word++;
    return at;
}

/* "10.1.2.3 u17 GET /shelf/901/item/77 200 4711", as it would come from the site. */
static void write_line(char *at, long number) {
    uint64_t r = stir((uint64_t)number), s = stir(r);
    at = put_word(at, "10.");
    at = put_number(at, r & 255);
    at = put_word(at, ".");
    at = put_number(at, r >> 8 & 255);
    at = put_word(at, ".");
    at = put_number(at, r >> 16 & 255);
    at = put_word(at, " u");
    at = put_number(at, (uint32_t)(r >> 24 & (USERS - 1)));
    at = put_word(at, s & 1 ? " GET /shelf/" : " POST /cart/");
    at = put_number(at, s >> 8 & 1023);
    at = put_word(at, "/item/");
    at = put_number(at, s >> 18 & 4095);
    at = put_word(at, (s >> 60) ? " 200 " : " 404 ");
    at = put_number(at, s >> 30 & 65535);
    *at = 0;
}

static const char *field(const char *at, int which) {
    while (which > 0)
        if (*at++ == ' ') which--;
    return at;
}

static uint32_t get_number(const char *at) {
    uint32_t v = 0;
    while (*at >= '0' && *at <= '9') v = v * 10 + (uint32_t)(*at++ - '0');
    return v;
}

static Record parse(const char *line) {
    uint32_t path = 2166136261u;
    for (const char *p = field(line, 3); *p != ' '; p++) path = (path ^ (unsigned char)*p) * 16777619u;
    uint32_t status = get_number(field(line, 4));
    return (Record){get_number(field(line, 1) + 1), status == 200 ? get_number(field(line, 5)) + (path & 15) : 0};
}

static void must(int fine) {
    if (!fine) {
        perror("access_spool");
        exit(1);
    }
}

static void open_spool(Lane *lane) {
    const char *folder = getenv("TMPDIR");
    char name[4096];
    snprintf(name, sizeof name, "%s/access_spool.XXXXXX", folder ? folder : "/var/tmp");
    lane->file = mkstemp(name);
    must(lane->file >= 0);
    unlink(name);
}

static void hand_over(Lane *lane) {
    long b = lane->batches++;
    if ((long)((double)(b + 1) * dial) > (long)((double)b * dial)) {
        size_t size = (size_t)lane->filled * sizeof(Record);
        if (lane->file < 0) open_spool(lane);
        must(pwrite(lane->file, lane->batch, size, lane->spooled) == (ssize_t)size);
        must(fdatasync(lane->file) == 0);
        lane->spooled += (long)size;
    } else {
        for (int i = 0; i < lane->filled; i++) lane->in_memory[lane->batch[i].user] += lane->batch[i].bytes;
    }
    lane->filled = 0;
}

static void take_over(Reader *me, Lane *lane) {
    for (int u = 0; u < USERS; u++) me->traffic[u] += lane->in_memory[u];
    Record found[BATCH];
    for (long at = 0; at < lane->spooled;) {
        ssize_t got = pread(lane->file, found, sizeof found, at);
        must(got > 0 && got % (ssize_t)sizeof(Record) == 0);
        for (size_t i = 0; i < (size_t)got / sizeof(Record); i++) me->traffic[found[i].user] += found[i].bytes;
        at += got;
    }
}

static void *read_log(void *given) {
    Reader *me = given;
    char line[128];
    for (long n = lines * me->number / threads; n < lines * (me->number + 1) / threads; n++) {
        write_line(line, n);
        Record r = parse(line);
        int owner = (int)(r.user % (uint32_t)threads);
        if (owner == me->number) {
            me->traffic[r.user] += r.bytes;
            continue;
        }
        Lane *lane = &me->lanes[owner];
        lane->batch[lane->filled++] = r;
        if (lane->filled == BATCH) hand_over(lane);
    }
    for (int t = 0; t < threads; t++)
        if (t != me->number) hand_over(&me->lanes[t]);
    pthread_barrier_wait(&all_read);
    for (int t = 0; t < threads; t++)
        if (t != me->number) take_over(me, &readers[t]->lanes[me->number]);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    lines = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    pthread_barrier_init(&all_read, 0, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        readers[t] = aligned_alloc(128, (sizeof(Reader) + 127) / 128 * 128);
        must(readers[t] != 0);
        memset(readers[t], 0, sizeof(Reader));
        readers[t]->number = t;
        readers[t]->lanes = calloc((size_t)threads, sizeof(Lane));
        must(readers[t]->lanes != 0);
        for (int u = 0; u < threads; u++) readers[t]->lanes[u].file = -1;
    }
    for (int t = 0; t < threads; t++) must(pthread_create(&readers[t]->id, 0, read_log, readers[t]) == 0);
    for (int t = 0; t < threads; t++) pthread_join(readers[t]->id, 0);
    uint64_t total = 0, answer = 0;
    for (int u = 0; u < USERS; u++) {
        uint64_t of_user = readers[u % threads]->traffic[u];
        total += of_user;
        answer += stir(of_user ^ (uint64_t)u << 40);
    }
    printf("%llu bytes, %016llx\n", (unsigned long long)total, (unsigned long long)answer);
    return 0;
}
