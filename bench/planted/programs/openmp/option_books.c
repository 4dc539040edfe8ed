/* Imbalance: values the American options of a bank's trading books, in one OpenMP loop over the books.
 *
 * An option is valued on a binomial tree (Cox, Ross and Rubinstein), and all trees have as many steps. The loop has a
 * static schedule, and the books are equal at dial 0. The dial d gives the first book 1 + d times its fair number of
 * options, the last one 1 - d times, those between in a straight line, as in a bank that lists its largest books
 * first. The options are the same at every dial. No book is shared and no lock taken; the thread with the smaller
 * books waits. */
#include "../c/work.h"

enum { BOOKS = 64, STEPS = 120 };

/* The options before the first one of a book. */
static long before(int book) {
    double k = book, n = BOOKS;
    return (long)((k * (1 + dial) - dial * k * (k - 1) / (n - 1)) / n * (double)work + 0.5);
}

/* An American put in units of a thousandth. The tree's prices are products of constants, so no library is needed. */
static uint64_t value(long option) {
    double values[STEPS + 1], up = 1.0 + (double)(16 + (unit((uint64_t)option, 3) >> 58)) / 4096, down = 1 / up;
    double spot = 90 + (double)(unit((uint64_t)option, 4) >> 59), strike = 105, growth = 1.0001;
    double rise = (growth - down) / (up - down), fall = (1 - rise) / growth;
    rise /= growth;
    double price = spot;
    for (int i = 0; i < STEPS; i++) price *= down;
    double lowest = price;
    for (int i = 0; i <= STEPS; i++, price *= up * up) values[i] = strike > price ? strike - price : 0;
    for (int step = STEPS - 1; step >= 0; step--) {
        price = lowest *= up;
        for (int i = 0; i <= step; i++, price *= up * up) {
            double held = rise * values[i + 1] + fall * values[i], exercised = strike - price;
            values[i] = held > exercised ? held : exercised;
        }
    }
    return (uint64_t)(values[0] * 1000);
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(threads)
    for (int book = 0; book < BOOKS; book++) {
        for (long option = before(book); option < before(book + 1); option++) {
            sum += value(option) * (uint64_t)(option % 89 + 1);
        }
    }
    print_answer(sum);
    return 0;
}
