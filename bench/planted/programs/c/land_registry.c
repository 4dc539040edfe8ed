/* I/O: a land registry checks the deeds of a day, and keeps the ledgers of its counties on the disk.
 *
 * A day's deeds are divided among the threads; a deed is a page of words that is digested over and over. When a day is
 * closed, all threads meet, and one of them brings the ledgers up to date: it writes the ledger of each
 * county into its file, and forces it to the disk, one after the other, before anybody may begin the next day. Days that are not
 * closed go into the next ones without a meeting. The dial is the share of the days that are closed.
 *
 * The ledgers are small files below TMPDIR, or /tmp, which have no names any more once they are open. */
#include <string.h>
#include <unistd.h>

#include "work.h"

enum { WORDS = 512, LEDGER = 65536, COUNTIES = 16, DEEDS = 24, ROUNDS = 200 };

static struct {
    int file;
    uint64_t lines[LEDGER / 8];
} ledgers[COUNTIES];

static pthread_barrier_t meeting;

static struct {
    _Alignas(LINE) uint64_t sum;
} counters[MOST_THREADS];

static void check(int fine) {
    if (fine) return;
    perror("land registry");
    exit(1);
}

static void write_ledger(int county) {
    check(pwrite(ledgers[county].file, ledgers[county].lines, LEDGER, 0) == LEDGER);
    check(fdatasync(ledgers[county].file) == 0);
}

static void open_ledgers(void) {
    const char *folder = getenv("TMPDIR");
    for (int county = 0; county < COUNTIES; county++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/county.XXXXXX", folder && *folder ? folder : "/tmp");
        ledgers[county].file = mkstemp(path);
        check(ledgers[county].file >= 0);
        check(unlink(path) == 0);
        write_ledger(county);
    }
}

static void close_day(long day) {
    uint64_t sum = 0;
    for (int t = 0; t < threads; t++) sum += counters[t].sum;
    for (int county = 0; county < COUNTIES; county++) {
        ledgers[county].lines[day % (LEDGER / 8)] = sum ^ county;
        write_ledger(county);
    }
}

static uint64_t digest(long deed) {
    uint64_t page[WORDS];
    for (int i = 0; i < WORDS; i++) page[i] = (deed + 1) * 0x9E3779B97F4A7C15u ^ i * 0xD6E8FEB86659FD93u;
    uint64_t digest = 0xCBF29CE484222325u;
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WORDS; i++) digest = (digest ^ page[i]) * 0x100000001B3u;
    return digest;
}

static uint64_t clerk(int thread) {
    uint64_t sum = 0;
    for (long day = 0; day < work; day++) {
        for (int deed = DEEDS * thread / threads; deed < DEEDS * (thread + 1) / threads; deed++)
            sum += digest(day * DEEDS + deed);
        if (!picked(day)) continue;
        counters[thread].sum = sum;
        if (pthread_barrier_wait(&meeting) == PTHREAD_BARRIER_SERIAL_THREAD) close_day(day);
        pthread_barrier_wait(&meeting);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    open_ledgers();
    check(pthread_barrier_init(&meeting, 0, threads) == 0);
    uint64_t seal = in_threads(clerk);
    printf("%ld days, seal %016llx\n", work, (unsigned long long)seal);
    return 0;
}
