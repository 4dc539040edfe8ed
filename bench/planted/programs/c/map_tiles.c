/* Draws shaded map tiles from a terrain function; every worker has a range of tiles of its own, and one that has run dry
 * takes half of what another has left.
 *
 * The dial is the share of the tiles that are on loan: before such a tile is drawn, its number is written to the
 * worker's journal file and forced to disk, so that a peer could draw it after a crash. Workers then sleep in fdatasync:
 * that is I/O. A worker without peers needs no such promise: it notes its loans in memory and syncs once, at the end.
 * Journals are below TMPDIR, or in /var/tmp. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 36, OCTAVES = 5, MOST = 64, SLOT = 64, PAGE = 4096 };

struct __attribute__((aligned(128))) crew {
    _Atomic uint64_t range; /* begin in the high half, end in the low one */
    pthread_t id;
    int journal;
    int number;
    long loans;
    uint64_t sum;
    unsigned char page[PAGE];
};

static struct crew crews[MOST];
static int count;
static double loaned;

static inline uint64_t packed(uint32_t begin, uint32_t end) { return (uint64_t)begin << 32 | end; }

static inline uint32_t scramble(uint32_t x) {
    x = (x ^ x >> 16) * 0x7FEB352Du;
    x = (x ^ x >> 15) * 0x846CA68Bu;
    return x ^ x >> 16;
}

static int take_own(struct crew *me, uint32_t *tile) {
    uint64_t seen = atomic_load(&me->range);
    for (;;) {
        uint32_t begin = (uint32_t)(seen >> 32), end = (uint32_t)seen;
        if (begin >= end) return 0;
        if (atomic_compare_exchange_weak(&me->range, &seen, packed(begin + 1, end))) {
            *tile = begin;
            return 1;
        }
    }
}

/* The upper half of what somebody else has left becomes this worker's range. */
static int steal(struct crew *me) {
    for (int away = 1; away < count; away++) {
        struct crew *other = &crews[(me->number + away) % count];
        uint64_t seen = atomic_load(&other->range);
        for (;;) {
            uint32_t begin = (uint32_t)(seen >> 32), end = (uint32_t)seen;
            if (begin >= end) break;
            uint32_t middle = begin + (end - begin) / 2;
            if (atomic_compare_exchange_weak(&other->range, &seen, packed(begin, middle))) {
                atomic_store(&me->range, packed(middle, end));
                return 1;
            }
        }
    }
    return 0;
}

static int32_t height(uint32_t x, uint32_t y) {
    int32_t sum = 0;
    for (int octave = 0; octave < OCTAVES; octave++) {
        uint32_t size = 64u >> octave, cx = x / size, cy = y / size, fx = x % size, fy = y % size;
        int32_t a = (int32_t)(scramble(cx * 7919u + cy * 104729u + (uint32_t)octave) & 1023);
        int32_t b = (int32_t)(scramble((cx + 1) * 7919u + (cy + 1) * 104729u + (uint32_t)octave) & 1023);
        sum += (a * (int32_t)(2 * size - fx - fy) + b * (int32_t)(fx + fy)) / (int32_t)(size << (octave + 1));
    }
    return sum;
}

static uint64_t draw(uint32_t tile) {
    uint32_t left = tile % 97 * SIDE, top = tile / 97 * SIDE;
    int32_t above[SIDE + 1] = {0};
    uint64_t sum = 0;
    for (uint32_t y = 0; y < SIDE; y++) {
        int32_t before = 0;
        for (uint32_t x = 0; x < SIDE; x++) {
            int32_t here = height(left + x, top + y);
            int32_t shade = 128 + (here - before) - (here - above[x]) / 2;
            shade = shade < 0 ? 0 : shade > 255 ? 255 : shade;
            sum = sum * 31 + (uint64_t)shade;
            before = above[x] = here;
        }
    }
    return sum ^ tile;
}

static void promise(struct crew *me, uint32_t tile) {
    off_t slot = (off_t)(me->loans++ % (PAGE / SLOT)) * SLOT;
    memcpy(me->page + slot, &tile, sizeof tile);
    if (count == 1) return;
    if (pwrite(me->journal, me->page + slot, SLOT, slot) != SLOT || fdatasync(me->journal) != 0) {
        perror("journal");
        exit(1);
    }
}

static void *work_off(void *given) {
    struct crew *me = given;
    uint32_t tile;
    uint64_t sum = 0;
    do {
        while (take_own(me, &tile)) {
            if (scramble(tile + 12345u) < loaned * 4294967296.0) promise(me, tile);
            sum += draw(tile);
        }
    } while (steal(me));
    me->sum = sum;
    return 0;
}

/* A file without a name, with its one page in place, so that later writes change no metadata. */
static int new_journal(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/map-tiles-XXXXXX", folder && *folder ? folder : "/var/tmp");
    int file = mkstemp(path);
    static const unsigned char empty[PAGE];
    if (file < 0 || unlink(path) || pwrite(file, empty, PAGE, 0) != PAGE || fsync(file)) {
        perror(path);
        exit(1);
    }
    return file;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    count = atoi(argv[1]);
    loaned = atof(argv[2]);
    uint64_t tiles = (uint64_t)atol(argv[3]);
    if (count < 1 || count > MOST) return 2;
    for (int i = 0; i < count; i++) {
        crews[i].number = i;
        crews[i].journal = new_journal();
        uint64_t begin = tiles * (uint64_t)i / (uint64_t)count, end = tiles * (uint64_t)(i + 1) / (uint64_t)count;
        atomic_store(&crews[i].range, packed((uint32_t)begin, (uint32_t)end));
    }
    for (int i = 0; i < count; i++)
        if (pthread_create(&crews[i].id, 0, work_off, &crews[i])) return 1;
    uint64_t sum = 0;
    for (int i = 0; i < count; i++) {
        pthread_join(crews[i].id, 0);
        sum += crews[i].sum;
        if (pwrite(crews[i].journal, crews[i].page, PAGE, 0) != PAGE || fdatasync(crews[i].journal)) return 1;
        close(crews[i].journal);
    }
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
