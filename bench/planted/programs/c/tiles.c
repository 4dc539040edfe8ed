// Map tiles from a height field: every tile is read from the field, smoothed at several scales, shaded and reduced to a
// histogram. Threads take the tiles from a queue.
//
//     tiles THREADS DIAL WORK
//
// WORK is the number of tiles. DIAL (0 to 1) is the share of tiles whose images are given back to the system as soon as
// they are not needed any more, to keep the memory in use small; the other tiles use a thread's images again.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIDE = 64, LEVELS = 3, SHADES = 64, MOST_THREADS = 64 };

typedef float image[SIDE][SIDE];

enum { HEIGHTS, ROWS, SMOOTH, IMAGES = SMOOTH + LEVELS };

// The images of a tile in the making, each made when first asked for.
struct scratch {
    image *images[IMAGES];
};

struct queue {
    pthread_mutex_t lock;
    long next;
    long end;
    double fresh;
};

struct worker {
    pthread_t thread;
    struct queue *queue;
    uint64_t histogram[SHADES];
} __attribute__((aligned(128)));

static long take(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    long tile = queue->next < queue->end ? queue->next++ : -1;
    pthread_mutex_unlock(&queue->lock);
    return tile;
}

static float (*get(struct scratch *scratch, int which))[SIDE]
{
    if (scratch->images[which] == NULL) {
        void *pages = mmap(NULL, sizeof(image), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) {
            perror("mmap");
            exit(1);
        }
        scratch->images[which] = pages;
    }
    return *scratch->images[which];
}

static void give_back(struct scratch *scratch, int which)
{
    if (scratch->images[which] != NULL) munmap(scratch->images[which], sizeof(image));
    scratch->images[which] = NULL;
}

// Noise between the points of a coarse grid.
static float corner(long x, long y)
{
    uint32_t h = (uint32_t)(x * 374761393L + y * 668265263L);
    h = (h ^ h >> 13) * 1274126177u;
    return (float)(h >> 16 & 1023);
}

static void load(image heights, long tile)
{
    long left = tile % 32 * SIDE, top = tile / 32 * SIDE;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x += 16) {
            long gx = (left + x) >> 4, gy = (top + y) >> 4;
            float v = (float)((top + y) & 15) / 16;
            float a = corner(gx, gy) * (1 - v) + corner(gx, gy + 1) * v;
            float b = corner(gx + 1, gy) * (1 - v) + corner(gx + 1, gy + 1) * v;
            for (int i = 0; i < 16; i++) heights[y][x + i] = a + (b - a) * (float)i / 16;
        }
}

static void smooth(image from, image rows, image to, int radius)
{
    float share = 1.0f / (float)(2 * radius + 1);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            float sum = 0;
            for (int d = -radius; d <= radius; d++) sum += from[y][(x + d) & (SIDE - 1)];
            rows[y][x] = sum * share;
        }
    memset(to, 0, sizeof(image));
    for (int y = 0; y < SIDE; y++)
        for (int d = -radius; d <= radius; d++)
            for (int x = 0; x < SIDE; x++) to[y][x] += rows[(y + d) & (SIDE - 1)][x] * share;
}

static void shade(image heights, uint64_t *histogram)
{
    for (int y = 0; y + 1 < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++) {
            float slope = heights[y][x + 1] - heights[y][x] + 0.5f * (heights[y + 1][x] - heights[y][x]);
            int shade = (int)(SHADES / 2 + slope);
            histogram[shade < 0 ? 0 : shade >= SHADES ? SHADES - 1 : shade]++;
        }
}

static void render(struct scratch *scratch, long tile, int sparing, uint64_t *histogram)
{
    load(get(scratch, HEIGHTS), tile);
    int from = HEIGHTS;
    for (int to = SMOOTH; to < SMOOTH + LEVELS; to++) {
        smooth(get(scratch, from), get(scratch, ROWS), get(scratch, to), 1);
        shade(get(scratch, to), histogram);
        if (sparing) {
            give_back(scratch, ROWS);
            give_back(scratch, from);
        }
        from = to;
    }
    if (sparing) give_back(scratch, from);
}

static void *work(void *argument)
{
    struct worker *me = argument;
    struct scratch kept = {{NULL}};
    for (long tile; (tile = take(me->queue)) >= 0;) {
        if ((long)((double)(tile + 1) * me->queue->fresh) > (long)((double)tile * me->queue->fresh)) {
            struct scratch own = {{NULL}};
            render(&own, tile, 1, me->histogram);
        } else {
            render(&kept, tile, 0, me->histogram);
        }
    }
    for (int i = 0; i < IMAGES; i++) give_back(&kept, i);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    int threads = atoi(argv[1]);
    struct queue queue = {PTHREAD_MUTEX_INITIALIZER, 0, atol(argv[3]), atof(argv[2])};
    static struct worker workers[MOST_THREADS];
    for (int t = 0; t < threads; t++) {
        workers[t].queue = &queue;
        pthread_create(&workers[t].thread, NULL, work, &workers[t]);
    }
    uint64_t digest = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(workers[t].thread, NULL);
    }
    for (int s = 0; s < SHADES; s++) {
        uint64_t pixels = 0;
        for (int t = 0; t < threads; t++) pixels += workers[t].histogram[s];
        digest = digest * 1000003 + pixels;
    }
    printf("%ld tiles, digest %llx\n", queue.end, (unsigned long long)digest);
    return 0;
}
