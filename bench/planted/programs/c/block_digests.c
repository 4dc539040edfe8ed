/* Serial part: computes the SHA-256 digests of the blocks of an archive, batch by batch, and signs each batch.
 *
 * A block is 16 KiB of words, with one digest for each 64 bytes. The threads digest the blocks of a batch; then main
 * signs the batch, while no other thread exists. The dial is the share of the digests of each block that belong to
 * the signed header, which main computes when it signs; the threads leave them out. Batches have equal blocks and
 * divide evenly, threads share no data and take no lock. */
#include "work.h"

enum { BLOCKS = 64, CHUNKS = 256, ROUNDS = 64 };

static const uint32_t keys[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
    0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
    0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
    0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2};

static long batch;
static int header;

static inline uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* The compression of SHA-256 applied to one chunk of 16 words, from its usual start. */
static uint64_t digest(const uint32_t *chunk) {
    uint32_t w[ROUNDS];
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 16; i++) w[i] = chunk[i];
    for (int i = 16; i < ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t one = s[7] + (turned(s[4], 6) ^ turned(s[4], 11) ^ turned(s[4], 25)) + keys[i] + w[i];
        one += s[6] ^ (s[4] & (s[5] ^ s[6]));
        uint32_t two = turned(s[0], 2) ^ turned(s[0], 13) ^ turned(s[0], 22);
        two += (s[0] & s[1]) | (s[2] & (s[0] | s[1]));
        for (int j = 7; j > 0; j--) s[j] = s[j - 1];
        s[4] += one;
        s[0] = one + two;
    }
    return (uint64_t)s[0] << 32 ^ s[4];
}

static uint64_t digest_chunks(long block, int from, int to) {
    uint64_t sum = 0;
    for (int c = from; c < to; c++) {
        uint32_t chunk[16];
        uint64_t word = (uint64_t)(block * CHUNKS + c) * 0x9E3779B97F4A7C15u;
        for (int i = 0; i < 16; i++) chunk[i] = (uint32_t)((word += 0xD1B54A32D192ED03u) >> 32);
        sum += digest(chunk);
    }
    return sum;
}

static uint64_t body(int thread) {
    long begin = BLOCKS * thread / threads, end = BLOCKS * (thread + 1) / threads;
    uint64_t sum = 0;
    for (long b = begin; b < end; b++) sum += digest_chunks(batch * BLOCKS + b, header, CHUNKS);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    header = (int)(dial * CHUNKS);
    uint64_t sum = 0;
    for (batch = 0; batch < work; batch++) {
        sum += in_threads(body);
        for (long b = 0; b < BLOCKS; b++) sum += digest_chunks(batch * BLOCKS + b, 0, header);
    }
    print_answer(sum);
    return 0;
}
