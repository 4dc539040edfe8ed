/* A pharmacy: every day each patient's prescription is tried on a model of the patient, hour by hour, by one of several
 * dispensers, who needs the patient's card for it.
 *
 * Most patients always come to the same dispenser, who has their cards in a box. The dial is the share of the patients
 * that come to the next dispenser every day: before a day is closed, their cards are written to the register, a file, and
 * synchronized, since the law wants a card to be safe before another may use it. Where there is one dispenser, no card
 * changes hands. Dispensers wait for the disk: I/O. The register lies in $TMPDIR or else in /tmp, which must be on a
 * disk, and is unlinked at once. */
#include <string.h>
#include <unistd.h>

#include "work.h"

enum { PATIENTS = 256, DRUGS = 8, HOURS = 2400, SLOT = 4096 };

struct Card {
    uint32_t level[DRUGS];
    uint64_t alarms, days;
};

static int file = -1;
static pthread_barrier_t day_closed;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void open_register(void) {
    char name[300];
    static char empty[PATIENTS * SLOT];
    const char *where = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/dose-register-XXXXXX", where && *where ? where : "/tmp");
    if ((file = mkstemp(name)) < 0 || unlink(name)) fail(name);
    if (write(file, empty, sizeof empty) != (ssize_t)sizeof empty || fsync(file)) fail("register");
}

/* Levels of all drugs in the blood, which slow each other's breakdown; alarms tell how often one was too high. */
static void try_out(struct Card *card, uint64_t number) {
    uint32_t level[DRUGS], dose[DRUGS];
    uint64_t made_of = unit(number, 6), alarms = 0;
    memcpy(level, card->level, sizeof level);
    for (int d = 0; d < DRUGS; d++) dose[d] = 300 + (uint32_t)(made_of >> (7 * d) & 1023);
    for (int hour = 0; hour < HOURS; hour++) {
        uint32_t all = 0;
        for (int d = 0; d < DRUGS; d++) {
            if ((hour + d) % (6 + d % 3) == 0) level[d] += dose[d];
            uint32_t slowed = 3 + (all >> 12);
            level[d] -= level[d] >> (slowed < 9 ? slowed : 9);
            all += level[d];
            alarms += level[d] > 2600;
        }
        alarms += all > 14000;
    }
    memcpy(card->level, level, sizeof level);
    card->alarms += alarms;
    card->days++;
}

static int dispenser_of(int patient, long day) {
    int moves = patient < (int)(dial * PATIENTS + 0.5);
    return (int)((patient + (moves ? day : 0)) % threads);
}

static uint64_t dispense(int me) {
    struct Card *box = calloc(PATIENTS, sizeof *box);
    uint64_t sum = 0;
    if (!box) fail("box");
    for (long day = 0; day < work; day++) {
        for (int p = 0; p < PATIENTS; p++) {
            if (dispenser_of(p, day) != me) continue;
            struct Card *card = &box[p];
            if (day > 0 && dispenser_of(p, day - 1) != me)
                if (pread(file, card, sizeof *card, (off_t)p * SLOT) != (ssize_t)sizeof *card) fail("register");
            try_out(card, (uint64_t)(day * PATIENTS + p));
            sum += card->alarms * (2u * (unsigned)p + 1) + card->level[0];
            if (dispenser_of(p, day + 1) != me)
                if (pwrite(file, card, sizeof *card, (off_t)p * SLOT) != (ssize_t)sizeof *card || fdatasync(file))
                    fail("register");
        }
        pthread_barrier_wait(&day_closed);
    }
    free(box);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    if (dial > 0 && threads > 1) open_register();
    pthread_barrier_init(&day_closed, 0, (unsigned)threads);
    print_answer(in_threads(dispense));
    return 0;
}
