/* An image filter: reduces an image to three colors by the k-means method, with sums per thread and cluster.
 *
 * The dial is the share of its pixels that each thread, in the first part of a round, adds to tables in which the
 * threads' sums of a cluster are neighbors in one cache line; the others go to tables with a block for each thread. No word is ever written by two threads, and
 * both kinds of adding cost the same alone, so what is lost on more threads is false sharing. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIXELS = 1 << 18, CLUSTERS = 3, MOST_THREADS = 64, SUMS = 4, BLOCK = 32 };

typedef uint32_t Sum;

static unsigned char image[PIXELS][4];
static unsigned char goes_near[PIXELS];
static int centers[CLUSTERS][3];
/* Four sums (red, green, blue, count): with threads side by side, and in a block for each thread. */
static Sum side_by_side[SUMS][CLUSTERS][MOST_THREADS] __attribute__((aligned(4096)));
static Sum in_blocks[MOST_THREADS][BLOCK][SUMS] __attribute__((aligned(4096)));

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static int nearest(const unsigned char *p) {
    int best = 0, least = 1 << 30;
    for (int c = 0; c < CLUSTERS; c++) {
        int r = p[0] - centers[c][0], g = p[1] - centers[c][1], b = p[2] - centers[c][2];
        int distance = r * r + g * g + b * b;
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    return best;
}

static void assign(int threads) {
#pragma omp parallel num_threads(threads)
    {
        int me = omp_get_thread_num();
        Sum *const first[2] = {&in_blocks[me][0][0], &side_by_side[0][0][me]};
        const long next_cluster[2] = {SUMS, MOST_THREADS}, next_sum[2] = {1, CLUSTERS * MOST_THREADS};
#pragma omp for schedule(static)
        for (int i = 0; i < PIXELS; i++) {
            const unsigned char *p = image[i];
            int c = nearest(p);
            int near = goes_near[i];
            volatile Sum *to = first[near] + c * next_cluster[near];
            long step = next_sum[near];
            for (int k = 0; k < 3; k++) to[k * step] += p[k];
            to[3 * step] += 1;
        }
    }
}

static void move_centers(void) {
    for (int c = 0; c < CLUSTERS; c++) {
        Sum total[SUMS] = {0};
        for (int t = 0; t < MOST_THREADS; t++)
            for (int k = 0; k < SUMS; k++) {
                total[k] += side_by_side[k][c][t] + in_blocks[t][c][k];
                side_by_side[k][c][t] = in_blocks[t][c][k] = 0;
            }
        for (int k = 0; k < 3; k++)
            if (total[3]) centers[c][k] = (int)(total[k] / total[3]);
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long rounds = atol(argv[3]);
    for (int i = 0; i < PIXELS; i++) {
        uint64_t r = mix((uint64_t)i + 1);
        for (int k = 0; k < 3; k++) image[i][k] = (unsigned char)(r >> 8 * k);
        goes_near[i] = i % (PIXELS / threads) < dial * (PIXELS / threads);
    }
    for (int c = 0; c < CLUSTERS; c++)
        for (int k = 0; k < 3; k++) centers[c][k] = image[c][k];
    for (long round = 0; round < rounds; round++) {
        assign(threads);
        move_centers();
    }
    uint64_t sum = 0;
    for (int c = 0; c < CLUSTERS; c++)
        for (int k = 0; k < 3; k++) sum = mix(sum * 31 + (uint64_t)centers[c][k]);
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
