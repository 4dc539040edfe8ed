/* Too few tasks: revalues a book of American options after every trading day, in batches that are submitted to an
 * executor as futures; the next day's rates need all values of the day before. The dial is the size of a batch as a
 * share of the book: 0.2 makes five batches a day, an odd number of large ones that leaves one of two threads without
 * a task at the end of each day (0: 99 batches). Each option costs the same; one thread values all at any dial. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BOOK 3465
#define LEVELS 96
#define SMALL_BATCH 35
#define MAX_THREADS 64

struct future {
    struct future *next;
    int begin, end;
    double rate, volatility;
    int64_t cents;
    bool done;
    pthread_cond_t filled;
};

static struct executor {
    pthread_mutex_t lock;
    pthread_cond_t submitted;
    struct future *first, **last;
    bool closed;
    pthread_t threads[MAX_THREADS];
} executor = {.lock = PTHREAD_MUTEX_INITIALIZER, .submitted = PTHREAD_COND_INITIALIZER, .last = &executor.first};

/* One American put on a lattice, in whole cents. */
static int64_t value_of(int option, double rate, double volatility) {
    double prices[2 * LEVELS + 1], worth[LEVELS + 1];
    double spot = 80 + option % 41, strike = 75 + option % 53;
    double up = 1 + volatility / 8, discount = 1 / (1 + rate / 250);
    double chance = (1 / discount - 1 / up) / (up - 1 / up);
    prices[LEVELS] = spot;
    for (int i = 1; i <= LEVELS; i++) {
        prices[LEVELS + i] = prices[LEVELS + i - 1] * up;
        prices[LEVELS - i] = prices[LEVELS - i + 1] / up;
    }
    for (int i = 0; i <= LEVELS; i++) {
        double paid = strike - prices[2 * i];
        worth[i] = paid > 0 ? paid : 0;
    }
    for (int level = LEVELS - 1; level >= 0; level--)
        for (int i = 0; i <= level; i++) {
            double kept = discount * (chance * worth[i + 1] + (1 - chance) * worth[i]);
            double paid = strike - prices[LEVELS - level + 2 * i];
            worth[i] = paid > kept ? paid : kept;
        }
    return (int64_t)(worth[0] * 100 + 0.5);
}

/* Runs the task at the head of the queue; called and left with the lock held. */
static bool run_one(void) {
    struct future *task = executor.first;
    if (task == NULL) return false;
    executor.first = task->next;
    if (executor.first == NULL) executor.last = &executor.first;
    pthread_mutex_unlock(&executor.lock);

    int64_t cents = 0;
    for (int option = task->begin; option < task->end; option++)
        cents += value_of(option, task->rate, task->volatility);

    pthread_mutex_lock(&executor.lock);
    task->cents = cents;
    task->done = true;
    pthread_cond_signal(&task->filled);
    return true;
}

static void *serve(void *unused) {
    pthread_mutex_lock(&executor.lock);
    while (!executor.closed)
        if (!run_one()) pthread_cond_wait(&executor.submitted, &executor.lock);
    pthread_mutex_unlock(&executor.lock);
    return unused;
}

static void submit(struct future *task) {
    task->next = NULL;
    task->done = false;
    pthread_mutex_lock(&executor.lock);
    *executor.last = task;
    executor.last = &task->next;
    pthread_cond_signal(&executor.submitted);
    pthread_mutex_unlock(&executor.lock);
}

/* Waits for a value and helps with the queue meanwhile, so that main is one of the threads. */
static int64_t get(struct future *task) {
    pthread_mutex_lock(&executor.lock);
    while (!task->done)
        if (!run_one()) pthread_cond_wait(&task->filled, &executor.lock);
    pthread_mutex_unlock(&executor.lock);
    return task->cents;
}

int main(int argc, char **argv) {
    if (argc != 4) return fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]), 2;
    int threads = atoi(argv[1]), days = atoi(argv[3]);
    double dial = atof(argv[2]);
    int size = dial > 0 ? (int)(dial * BOOK + 0.5) : SMALL_BATCH;
    if (size < 1) size = 1;
    int batches = (BOOK + size - 1) / size;
    if (threads < 1 || threads > MAX_THREADS) return 2;
    struct future *tasks = calloc((size_t)batches, sizeof *tasks);
    if (tasks == NULL) return 1;
    for (int b = 0; b < batches; b++) pthread_cond_init(&tasks[b].filled, NULL);
    for (int t = 1; t < threads; t++)
        if (pthread_create(&executor.threads[t], NULL, serve, NULL) != 0) return 1;

    double rate = 0.03, volatility = 0.2;
    uint64_t statement = 0;
    for (int day = 0; day < days; day++) {
        for (int b = 0; b < batches; b++) {
            tasks[b].begin = size * b;
            tasks[b].end = b == batches - 1 ? BOOK : size * (b + 1);
            tasks[b].rate = rate;
            tasks[b].volatility = volatility;
            submit(&tasks[b]);
        }
        int64_t cents = 0;
        for (int b = 0; b < batches; b++) cents += get(&tasks[b]);
        statement = statement * 1000003u + (uint64_t)cents;
        rate = 0.02 + (double)(cents % 997) / 50000;
        volatility = 0.15 + (double)(cents % 613) / 5000;
    }

    pthread_mutex_lock(&executor.lock);
    executor.closed = true;
    pthread_cond_broadcast(&executor.submitted);
    pthread_mutex_unlock(&executor.lock);
    for (int t = 1; t < threads; t++) pthread_join(executor.threads[t], NULL);
    free(tasks);
    printf("statement %016llx\n", (unsigned long long)statement);
    return 0;
}
