/* False sharing: splits source text into tokens, with the state of each thread's lexer in a struct.
 *
 * The lexer is called for each character and keeps place, line and token in its struct. The dial is the share of the
 * pieces of text for which a thread uses its element of one array of lexers, where neighbours lie in one line; for all others
 * it uses a lexer that has its lines to itself. No lexer is ever used by two threads, and nothing is atomic. The text is
 * only read. */
#include <stdalign.h>

#include "work.h"

enum { TEXT = 1 << 16, PIECE = 1 << 11 };

struct Lexer {
    uint32_t kind, line, column, tokens;
    uint64_t hash;
};

struct Alone {
    alignas(LINE) struct Lexer lexer;
};

static alignas(LINE) struct Lexer together[MOST_THREADS];
static struct Alone apart[MOST_THREADS];
static unsigned char text[TEXT], kinds[256];

static void make_text(void) {
    static const char sample[] = "int f(long a) {\n    return a * 31 + g(a, 7);\n}\n\nwhile (x < 10) x += f(x);\n";
    for (int i = 0; i < TEXT; i++) text[i] = (unsigned char)sample[i * (i / 4096 % 3 + 1) % (sizeof sample - 1)];
    for (int c = 0; c < 256; c++) {
        int letter = (c >= 'a' && c <= 'z') || c == '_', digit = c >= '0' && c <= '9';
        kinds[c] = (unsigned char)(letter ? 1 : digit ? 2 : c == ' ' ? 3 : c == '\n' ? 4 : 5);
    }
}

static __attribute__((noinline)) void next(struct Lexer *lexer, unsigned char character) {
    uint32_t kind = kinds[character], starts = kind != lexer->kind || kind == 5;
    lexer->tokens += starts && kind != 3 && kind != 4;
    lexer->line += kind == 4;
    lexer->column = kind == 4 ? 0 : lexer->column + 1;
    lexer->kind = kind;
    lexer->hash = (lexer->hash ^ character) * 0x100000001B3u + lexer->column;
}

static uint64_t body(int thread) {
    uint64_t sum = 0;
    for (long piece = first(thread); piece < first(thread + 1); piece++) {
        struct Lexer *lexer = picked(piece) ? &together[thread] : &apart[thread].lexer;
        const unsigned char *from = text + piece * PIECE % TEXT;
        *lexer = (struct Lexer){.line = 1, .hash = (uint64_t)piece};
        for (int i = 0; i < PIECE; i++) next(lexer, from[i]);
        sum += lexer->hash + lexer->tokens * 7 + lexer->line;
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    make_text();
    print_answer(in_threads(body));
    return 0;
}
