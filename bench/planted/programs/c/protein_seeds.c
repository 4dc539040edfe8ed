/* Protein search, the seeding step: for each query, list which words of three amino acids score well against which of
 * its positions (the neighbourhood), then look up every word of a library of proteins and score runs of seeds.
 *
 * A query's neighbourhood is made in blocks of eight positions. Of a block that is common, one thread makes the table
 * for all. The dial is the share of the blocks that are private: each thread makes its own table of them before it
 * scans, as programs do that keep such tables in thread-local storage. So with more threads more instructions lead to
 * the same answer, though all threads are busy: instruction growth. One thread makes every table once at any dial. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACIDS = 20, WORDS = ACIDS * ACIDS * ACIDS, BLOCK = 8, BLOCKS = 32, QUERY = BLOCK * BLOCKS + 2 };
enum { LIBRARY = 16384, STRETCH = 512, GOOD = 11 };

typedef uint8_t Table[8192]; /* for each word, one bit for each position of the block */

typedef struct {
    atomic_int next_block, next_stretch;
} __attribute__((aligned(128))) Round;

typedef struct {
    pthread_t id;
    Table *own;
    uint64_t score;
} __attribute__((aligned(128))) Seeker;

static int8_t matrix[ACIDS][ACIDS];
static uint16_t library[LIBRARY];
static Table common[BLOCKS] __attribute__((aligned(128)));
static Round *rounds;
static pthread_barrier_t together;
static long queries;
static int private_blocks;

static uint64_t mixed(uint64_t x) {
    x = (x + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static void make_matrix_and_library(void) {
    for (int a = 0; a < ACIDS; a++)
        for (int b = 0; b <= a; b++) {
            int points = a == b ? 4 + (int)(mixed((uint64_t)a) % 5) : (int)(mixed((uint64_t)(a * 31 + b)) % 7) - 4;
            matrix[a][b] = matrix[b][a] = (int8_t)points;
        }
    int a = 0, b = 0;
    for (int i = 0; i < LIBRARY; i++) {
        int c = (int)(mixed((uint64_t)i + 99) % ACIDS);
        library[i] = (uint16_t)((a * ACIDS + b) * ACIDS + c);
        a = b;
        b = c;
    }
}

/* Every word against the eight positions of a block. */
static void make_table(uint8_t *table, const uint8_t *acids) {
    int word = 0;
    for (int a = 0; a < ACIDS; a++)
        for (int b = 0; b < ACIDS; b++) {
            int two[BLOCK];
            for (int p = 0; p < BLOCK; p++) two[p] = matrix[acids[p]][a] + matrix[acids[p + 1]][b];
            for (int c = 0; c < ACIDS; c++) {
                unsigned bits = 0;
                for (int p = 0; p < BLOCK; p++) bits |= (unsigned)(two[p] + matrix[acids[p + 2]][c] >= GOOD) << p;
                table[word++] = (uint8_t)bits;
            }
        }
}

/* Seeds that follow each other on a diagonal count double. */
static uint64_t scan(const uint8_t *table, const uint16_t *words, int count) {
    uint64_t score = 0;
    unsigned before = 0;
    for (int i = 0; i < count; i++) {
        unsigned here = table[words[i]];
        unsigned runs = here & before << 1;
        score += (uint64_t)__builtin_popcount(here) + (uint64_t)__builtin_popcount(runs) * 2;
        before = here;
    }
    return score;
}

static void read_query(long number, uint8_t *acids) {
    for (int i = 0; i < QUERY; i++) acids[i] = (uint8_t)(mixed((uint64_t)number * 1009 + (uint64_t)i) % ACIDS);
}

static void *seek(void *given) {
    Seeker *me = given;
    uint8_t acids[QUERY];
    for (long q = 0; q < queries; q++) {
        Round *round = &rounds[q];
        read_query(q, acids);
        for (int b = 0; b < private_blocks; b++) make_table(me->own[b], acids + b * BLOCK);
        for (int b; (b = private_blocks + atomic_fetch_add(&round->next_block, 1)) < BLOCKS;)
            make_table(common[b], acids + b * BLOCK);
        pthread_barrier_wait(&together);
        for (int s; (s = atomic_fetch_add(&round->next_stretch, 1)) < LIBRARY / STRETCH;)
            for (int b = 0; b < BLOCKS; b++) {
                const uint8_t *table = b < private_blocks ? me->own[b] : common[b];
                me->score += scan(table, library + s * STRETCH, STRETCH) * (uint64_t)(q + 1);
            }
        pthread_barrier_wait(&together);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    private_blocks = (int)(atof(argv[2]) * BLOCKS + 0.5);
    queries = atol(argv[3]);
    make_matrix_and_library();
    rounds = aligned_alloc(128, sizeof *rounds * (size_t)queries);
    Seeker *all = aligned_alloc(128, sizeof *all * (size_t)threads);
    if (!rounds || !all) return 1;
    memset(rounds, 0, sizeof *rounds * (size_t)queries);
    pthread_barrier_init(&together, 0, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        all[t] = (Seeker){.own = aligned_alloc(128, sizeof(Table) * BLOCKS)};
        if (!all[t].own || pthread_create(&all[t].id, 0, seek, &all[t])) return 1;
    }
    uint64_t score = 0;
    for (int t = 0; t < threads; t++) {
        pthread_join(all[t].id, 0);
        score += all[t].score;
        free(all[t].own);
    }
    free(all);
    free(rounds);
    printf("seed score %llu\n", (unsigned long long)score);
    return 0;
}
