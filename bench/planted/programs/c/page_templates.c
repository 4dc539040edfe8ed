/* Sleeping lock: renders the pages of a web site from templates that a readers-writer lock protects.
 *
 * A request renders its template, letter by letter, into a page in the thread's own memory, while it holds the lock.
 * The dial is the share of the requests that hold it for writing, as those do that note the digest of the page beside
 * the template; all others hold it for reading, and any number of these go on at once. A request takes about 50 us, so
 * a thread that has to wait sleeps. The notes are a word a request, and readers only read. */
#include <stdalign.h>
#include <string.h>

#include "work.h"

enum { TEMPLATES = 16, LENGTH = 8192, FIELD = 12, PAGE = LENGTH * FIELD / 2 };

static struct {
    alignas(LINE) pthread_rwlock_t lock;
    alignas(LINE) uint64_t noted[TEMPLATES];
    alignas(LINE) char texts[TEMPLATES][LENGTH];
} site;

/* Mostly letters; now and then $ and a digit, for one of ten fields. */
static void write_templates(void) {
    for (int t = 0; t < TEMPLATES; t++) {
        for (int i = 0; i < LENGTH; i++) {
            uint64_t r = unit((uint64_t)(t * LENGTH + i), 2) >> 32;
            if (r % 16 == 0 && i + 1 < LENGTH) {
                site.texts[t][i++] = '$';
                site.texts[t][i] = (char)('0' + (r >> 8) % 10);
            } else {
                site.texts[t][i] = "etaoin <>&shrdlu"[(r >> 8) % 16];
            }
        }
    }
}

/* Fill in the fields, and escape what HTML gives a meaning; return the digest of the page. */
static uint64_t render(const char *text, uint64_t request, char *page) {
    char *end = page;
    for (int i = 0; i < LENGTH; i++) {
        if (text[i] == '$') {
            uint64_t field = unit(request * 10 + (uint64_t)(text[++i] - '0'), 2);
            for (int k = 0; k < FIELD; k++, field >>= 5) *end++ = (char)('a' + field % 26);
        } else if (text[i] == '<' || text[i] == '>') {
            memcpy(end, text[i] == '<' ? "&lt;" : "&gt;", 4);
            end += 4;
        } else {
            *end++ = text[i];
        }
    }
    uint64_t digest = 0xCBF29CE484222325u;
    for (char *at = page; at < end; at++) {
        digest = (digest ^ (unsigned char)*at) * 0x100000001B3u;
        digest ^= digest >> 29;
        digest *= 0x9E3779B97F4A7C15u;
    }
    return digest;
}

static uint64_t body(int thread) {
    char page[PAGE];
    uint64_t sum = 0;
    for (long i = first(thread); i < first(thread + 1); i++) {
        int template = (int)(i % TEMPLATES);
        if (picked(i)) {
            pthread_rwlock_wrlock(&site.lock);
            sum += site.noted[template] = render(site.texts[template], i, page);
        } else {
            pthread_rwlock_rdlock(&site.lock);
            sum += render(site.texts[template], i, page);
        }
        pthread_rwlock_unlock(&site.lock);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    pthread_rwlock_init(&site.lock, 0);
    write_templates();
    print_answer(in_threads(body));
    return 0;
}
