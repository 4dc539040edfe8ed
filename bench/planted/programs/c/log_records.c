/* Sleeping lock: appends encoded records to the log of a key-value store, which has one mutex.
 *
 * A thread makes a value, encodes it into a buffer of its own, and appends it: it takes the lock, and moves the end of
 * the log. The dial is the share of the records whose CRC is computed inside of append, under the lock; that of all
 * others is computed before. A CRC takes a good part of the 34 us of a record; a thread that finds the lock taken sleeps.
 * The bytes stay where the thread wrote them: what the lock protects is three words. */
#include "work.h"

enum { VALUE = 4096, RECORD = 10 * VALUE / 4 };

static struct {
    pthread_mutex_t lock;
    uint64_t end, records, checks;
} logged = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t table[256];

static void make_table(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        table[i] = crc;
    }
}

static uint32_t crc(const unsigned char *bytes, size_t count) {
    uint32_t value = UINT32_MAX;
    for (size_t i = 0; i < count; i++) value = table[(value ^ bytes[i]) & 255] ^ value >> 8;
    return ~value;
}

/* Write the words of a value as differences of variable length; return how many bytes that takes. */
static size_t encode(long number, unsigned char *record) {
    size_t length = 0;
    uint32_t before = 0, word = (uint32_t)number;
    for (int i = 0; i < VALUE; i++) {
        word = word * 1664525 + 1013904223;
        uint32_t now = before + (word >> 12), difference = now - before;
        for (; difference >= 128; difference >>= 7) record[length++] = (unsigned char)(difference | 128);
        record[length++] = (unsigned char)difference;
        before = now;
    }
    return length;
}

static void append(const unsigned char *record, size_t length, int within, uint32_t check) {
    pthread_mutex_lock(&logged.lock);
    if (within) check = crc(record, length);
    logged.end += length;
    logged.records++;
    logged.checks += check;
    pthread_mutex_unlock(&logged.lock);
}

static uint64_t body(int thread) {
    unsigned char *record = malloc(2 * RECORD);
    for (long i = first(thread); i < first(thread + 1); i++) {
        size_t length = encode(i, record);
        int within = picked(i);
        append(record, length, within, within ? 0 : crc(record, length));
    }
    free(record);
    return 0;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    make_table();
    in_threads(body);
    print_answer(logged.end + logged.records * 31 + logged.checks);
    return 0;
}
