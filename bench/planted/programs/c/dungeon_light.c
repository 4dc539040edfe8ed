/* True sharing: lights the floor of a dungeon; each lamp sends rays through the cells of the map until one meets a wall,
 * and a ray holds what it passed through (the map's section) by a reference count. Threads have their own tiles of the
 * floor and steal halves of each other's. The dial is the share of rays that hold the one hall that all threads look
 * into, at every few cells, instead of the alcove of their own thread: the same atomic instructions on one line that
 * all change, where at dial 0 each thread changes a line of its own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 128
#define TILE 8
#define RAYS 12
#define REACH 24
#define MOST 64

struct section {
    _Alignas(256) atomic_long held;
    unsigned brightness;
};

struct tiles {
    _Alignas(256) atomic_ullong range; /* first tile << 32 | end */
};

struct worker {
    pthread_t id;
    int self;
    uint64_t light;
};

static unsigned char wall[SIDE * SIDE];
static struct section hall = {.brightness = 9}, alcove[MOST];
static struct tiles tiles_of[MOST];
static int worker_count;
static unsigned shared_of_1024;

static unsigned mixed(unsigned x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static struct section *hold(struct section *place) {
    atomic_fetch_add_explicit(&place->held, 1, memory_order_relaxed);
    return place;
}

static void drop(struct section *place) { atomic_fetch_sub_explicit(&place->held, 1, memory_order_release); }

/* The light that one ray brings: steps through the map in 1/256 of a cell. */
static unsigned ray(int self, unsigned x, unsigned y, unsigned seed) {
    struct section *seen = (seed >> 7) % 1024 < shared_of_1024 ? &hall : &alcove[self];
    int dx = (int)(seed & 511) - 256, dy = (int)(seed >> 20 & 511) - 256;
    unsigned light = 0;
    for (unsigned step = 1; step <= REACH; step++) {
        x += (unsigned)dx, y += (unsigned)dy;
        unsigned cell = (y >> 8) % SIDE * SIDE + (x >> 8) % SIDE;
        if (step % 4 == 1) {
            struct section *place = hold(seen);
            light += place->brightness * (REACH - step);
            drop(place);
        }
        light = light * 5 / 4 + (light >> 3 & wall[cell]);
        if (wall[cell] > 250) break;
    }
    return light;
}

static uint64_t light_tile(int self, unsigned tile) {
    unsigned per_row = SIDE / TILE, visit = tile / (per_row * per_row);
    unsigned left = tile % per_row * TILE, top = tile / per_row % per_row * TILE;
    uint64_t sum = 0;
    for (unsigned y = top; y < top + TILE; y++)
        for (unsigned x = left; x < left + TILE; x++) {
            unsigned total = 0;
            for (unsigned k = 0; k < RAYS; k++)
                total += ray(self, x << 8 | 128, y << 8 | 128, mixed((y * SIDE + x) * RAYS + k + visit * 7919u));
            sum += (uint64_t)total * (tile + 1);
        }
    return sum;
}

static int take(struct tiles *own, unsigned *tile) {
    unsigned long long r = atomic_load(&own->range);
    while ((r >> 32) < (r & 0xffffffffu))
        if (atomic_compare_exchange_weak(&own->range, &r, r + (1ull << 32))) return *tile = (unsigned)(r >> 32), 1;
    return 0;
}

static int steal(int self) {
    for (int i = 1; i < worker_count; i++) {
        struct tiles *other = &tiles_of[(self + i) % worker_count];
        unsigned long long r = atomic_load(&other->range);
        for (;;) {
            unsigned long long begin = r >> 32, end = r & 0xffffffffu;
            if (begin + 1 >= end) break;
            unsigned long long middle = begin + (end - begin + 1) / 2;
            if (!atomic_compare_exchange_weak(&other->range, &r, begin << 32 | middle)) continue;
            atomic_store(&tiles_of[self].range, middle << 32 | end);
            return 1;
        }
    }
    return 0;
}

static void *light_up(void *given) {
    struct worker *me = given;
    uint64_t light = 0;
    unsigned tile;
    do
        while (take(&tiles_of[me->self], &tile)) light += light_tile(me->self, tile);
    while (steal(me->self));
    me->light = light;
    return NULL;
}

int main(int argc, char **argv) {
    static struct worker workers[MOST];
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    worker_count = atoi(argv[1]);
    shared_of_1024 = (unsigned)(atof(argv[2]) * 1024 + 0.5);
    unsigned long long tiles = (unsigned long long)atol(argv[3]);
    if (worker_count < 1 || worker_count > MOST) return 2;
    for (unsigned i = 0; i < SIDE * SIDE; i++) wall[i] = (unsigned char)mixed(i ^ 0x5eedu);
    for (int w = 0; w < worker_count; w++) {
        unsigned long long begin = tiles * (unsigned)w / (unsigned)worker_count;
        unsigned long long end = tiles * (unsigned)(w + 1) / (unsigned)worker_count;
        atomic_store(&tiles_of[w].range, begin << 32 | end);
        alcove[w].brightness = 9;
        workers[w].self = w;
    }
    for (int w = 0; w < worker_count; w++)
        if (pthread_create(&workers[w].id, NULL, light_up, &workers[w]) != 0) return 1;
    uint64_t light = 0;
    for (int w = 0; w < worker_count; w++) {
        pthread_join(workers[w].id, NULL);
        light += workers[w].light;
    }
    printf("light %016llx, held %ld\n", (unsigned long long)light, atomic_load(&hall.held));
    return 0;
}
