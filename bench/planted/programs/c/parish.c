/* Parish registers: writes the entries of every day into the books of all parishes, and seals each day of a book.
 *
 *     parish THREADS DIAL DAYS
 *
 * The books are laid out at the start; each thread keeps those of some parishes. The text of a day is a string to which
 * the entries are appended. DIAL is the share of the days of books that start with a short string, which is lengthened
 * by what the next entry needs; on all other days the string is as long as a day can get from the beginning. */
#include <string.h>

#include "work.h"

enum { BOOKS = 32, ENTRIES = 40, LONGEST = 44, SHORT = 24, WHOLE_DAY = ENTRIES * LONGEST };

struct Book {
    char *text;
    size_t used, room;
};

static char *texts[BOOKS];

static const char *const events[] = {"baptised ", "married ", "buried ", "confirmed ", "moved to ", "moved from "};

static void lengthen(struct Book *book, size_t room) {
    book->text = realloc(book->text, room);
    if (!book->text) exit(1);
    book->room = room;
}

/* Append an event and the number and the name of a person. */
static void enter(struct Book *book, uint64_t person) {
    const char *event = events[person % 6];
    size_t event_length = strlen(event), name_length = 6 + (person >> 8) % 16;
    size_t needed = event_length + 6 + name_length + 2;
    if (book->used + needed > book->room) lengthen(book, book->used + needed);
    char *at = book->text + book->used;
    memcpy(at, event, event_length);
    at += event_length;
    for (uint64_t number = person >> 16, digit = 0; digit < 6; digit++, number /= 10) *at++ = (char)('0' + number % 10);
    uint64_t letters = person;
    for (size_t letter = 0; letter < name_length; letter++) {
        letters = letters * 6364136223846793005u + 1442695040888963407u;
        *at++ = (char)('a' + (letters >> 40) % 26);
    }
    memcpy(at, ".\n", 2);
    book->used += needed;
}

/* A checksum over the text of the day. */
static uint64_t seal(const struct Book *book) {
    uint64_t sum = 0xCBF29CE484222325u;
    for (size_t i = 0; i < book->used; i++) sum = (sum ^ (unsigned char)book->text[i]) * 0x100000001B3u;
    return sum;
}

static uint64_t day_of_book(struct Book *book, uint64_t day, uint64_t parish) {
    uint64_t page = day * BOOKS + parish;
    int sparing = picked(page);
    if (sparing) lengthen(book, SHORT);
    book->used = 0;
    for (uint64_t entry = 0; entry < ENTRIES; entry++) {
        uint64_t person = (page * ENTRIES + entry + 1) * 0x9E3779B97F4A7C15u;
        enter(book, person ^ person >> 29);
    }
    uint64_t sum = seal(book);
    if (sparing) lengthen(book, WHOLE_DAY);
    return sum;
}

static uint64_t keep(int thread) {
    uint64_t sum = 0;
    struct Book mine[BOOKS];
    for (int parish = thread; parish < BOOKS; parish += threads)
        mine[parish] = (struct Book){.text = texts[parish], .room = WHOLE_DAY};
    for (long day = 0; day < work; day++)
        for (int parish = thread; parish < BOOKS; parish += threads)
            sum += day_of_book(&mine[parish], (uint64_t)day, (uint64_t)parish);
    for (int parish = thread; parish < BOOKS; parish += threads) free(mine[parish].text);
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    for (int parish = 0; parish < BOOKS; parish++)
        if (!(texts[parish] = malloc(WHOLE_DAY))) return 1;
    print_answer(in_threads(keep));
    return 0;
}
