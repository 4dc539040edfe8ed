/* Allocator: renders recipes to HTML, each into a text that grows as lines are appended, and hashes the page.
 *
 * The program keeps malloc to one arena, as services do that want to save memory. The dial is the share of the recipes
 * whose text is grown with realloc and freed at the end, by exact need: all of them in the one arena. The others are
 * written into a page that the thread keeps. */
#include "work.h"
#include <malloc.h>
#include <string.h>

enum { LINES = 48, PAGE = 16384 };

static const char *words[16] = {"butter", "flour", "sugar", "two eggs", "salt", "milk", "stir", "fold in",
                                "bake", "rest the dough", "simmer", "leek", "thyme", "half a lemon", "oil", "serve"};

struct Text {
    char *at;
    size_t used, room;
    int grows;
};

static void append(struct Text *text, const char *from, size_t length) {
    if (text->used + length > text->room) {
        text->room = text->used + length + 64;
        text->at = realloc(text->at, text->room);
        if (!text->at) exit(1);
    }
    memcpy(text->at + text->used, from, length);
    text->used += length;
}

static uint64_t render(long number, struct Text *text) {
    uint64_t dice = unit((uint64_t)number, 4);
    for (int line = 0; line < LINES; line++) {
        char buffer[256];
        size_t length = 0;
        memcpy(buffer, "<li>", 4), length = 4;
        for (int i = 0; i < 5; i++) {
            dice = dice * 6364136223846793005u + 1442695040888963407u;
            const char *word = words[dice >> 60];
            size_t letters = strlen(word);
            memcpy(buffer + length, word, letters), length += letters;
            buffer[length++] = i < 4 ? ' ' : '.';
        }
        memcpy(buffer + length, "</li>\n", 6), length += 6;
        append(text, buffer, length);
    }
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < text->used; i++) hash = (hash ^ (uint8_t)text->at[i]) * 1099511628211u;
    return hash;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    char *kept = malloc(PAGE);
    if (!kept) exit(1);
    for (long i = first(thread); i < first(thread + 1); i++) {
        struct Text text = {0};
        if (!picked((uint64_t)i)) text = (struct Text){.at = kept, .room = PAGE};
        sum += render(i, &text);
        if (text.at != kept) free(text.at);
    }
    free(kept);
    return sum;
}

int main(int argc, char **argv) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    mallopt(M_TOP_PAD, 1 << 20);
    return in_threads_only(argc, argv, body);
}
