/* Values a bank's loan book month by month: one thread walks the calendar inside `single`, and makes tasks that project
 * the cash flows of some loans each.
 *
 * The dial is the share of the loans that are under review: the thread that walks the calendar projects those itself,
 * before it makes the month's tasks, while the others have nothing to do: a serial part. Every loan is projected once a
 * month by the same code, so one thread pays nothing for the dial.
 * Waiting threads sleep: the program sets OMP_WAIT_POLICY=passive for itself, unless the environment says otherwise. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MONTHS = 24, TASKS = 16 }; /* libgomp runs a loop of more than 64 tasks a thread in the thread that makes it */

typedef struct {
    uint64_t id;
    int64_t balance; /* in cents */
    int32_t term;    /* months to go */
    int32_t margin;  /* in millionths a month */
    int64_t value;   /* as of the last month */
} Loan;

static uint64_t scatter(uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

/* The reference rate of a month in millionths: a slow zigzag. */
static int32_t rate(int month) {
    int along = month % 48;
    return 1800 + 60 * (along < 24 ? along : 48 - along);
}

/* Projects payments and interest to the end, discounts them, and lets one month pass. */
static void project(Loan *loan, int month) {
    int64_t balance = loan->balance, value = 0, discount = 1000000000;
    for (int ahead = 0; ahead < loan->term && balance > 0; ahead++) {
        int32_t r = rate(month + ahead);
        int64_t interest = balance * (r + loan->margin) / 1000000;
        int64_t payment = balance / (loan->term - ahead) + interest;
        discount = discount * 1000000 / (1000000 + r);
        value += payment / 100 * discount / 10000000;
        balance -= payment - interest;
    }
    loan->value = value;
    if (loan->term > 1) {
        loan->balance -= loan->balance / loan->term;
        loan->term--;
    }
}

/* Loans under review come first. */
static long fill(Loan *book, long loans, double dial) {
    long reviewed = 0, others = loans;
    for (long i = 0; i < loans; i++) {
        uint64_t drawn = scatter((uint64_t)i + 1);
        int review = (double)(scatter(drawn) >> 11) * 0x1p-53 < dial;
        Loan *loan = &book[review ? reviewed++ : --others];
        *loan = (Loan){.id = (uint64_t)i,
                       .balance = 5000000 + (int64_t)(drawn % 40000000),
                       .term = 180 + (int32_t)(drawn >> 32) % 120,
                       .margin = 300 + (int32_t)(drawn >> 48) % 2000};
    }
    return reviewed;
}

static void sleep_while_waiting(char **argv) {
    if (getenv("OMP_WAIT_POLICY") != 0) return;
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) return;
    self[length] = 0;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv(self, argv);
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    sleep_while_waiting(argv);
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]);
    long loans = atol(argv[3]);
    Loan *book = malloc((size_t)loans * sizeof *book);
    if (book == 0) return 1;
    long reviewed = fill(book, loans, dial);
    uint64_t answer = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    for (int month = 0; month < MONTHS; month++) {
        for (long i = 0; i < reviewed; i++) project(&book[i], month);
#pragma omp taskloop num_tasks(TASKS * threads) default(none) shared(book) firstprivate(reviewed, loans, month, threads)
        for (long i = reviewed; i < loans; i++) project(&book[i], month);
        uint64_t total = 0;
        for (long i = 0; i < loans; i++) total += (uint64_t)book[i].value * (book[i].id * 2 + 1);
        answer = answer * 1000003 + total;
    }
    free(book);
    printf("%016llx\n", (unsigned long long)answer);
    return 0;
}
