/* An insurer's reserves over eight quarters: every quarter is simulated in many equal scenarios, and the next begins
 * from its result. An executor hands a quarter's scenarios to its threads as tasks; at dial 0 these are 64 small ones.
 * With the dial they are an odd number of large ones, 1 / dial of them on average over the quarters, so that one thread
 * finds no task left while the other does the last: too few tasks. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { QUARTERS = 8, FINE = 64, YEARS = 60, MOST = 64 };

typedef struct Task {
    struct Task *next;
    long from, to;
    uint64_t reserve;
    uint64_t loss;
} Task;

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t some, none_left;
    Task *head, **tail;
    int open, closed;
} Executor;

static Executor desk = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, 0};

/* One future: claims come and go for a number of years, with interest on what is kept. */
static uint64_t scenario(uint64_t seed, uint64_t reserve) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u ^ reserve;
    uint64_t kept = 1000000 + (reserve & 0xffff), paid = 0;
    for (int year = 0; year < YEARS; year++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t claim = (state >> 40) * (state >> 58) >> 12;
        uint64_t enough = -(uint64_t)(kept > claim);
        kept -= claim & enough;
        paid += claim >> (enough & 1);
        kept += (kept >> 5) + 1500;
        kept &= 0xffffffffffu;
    }
    return paid ^ kept;
}

static void submit(Task *task) {
    pthread_mutex_lock(&desk.lock);
    task->next = 0;
    *desk.tail = task;
    desk.tail = &task->next;
    desk.open++;
    pthread_cond_signal(&desk.some);
    pthread_mutex_unlock(&desk.lock);
}

static void wait_for_all(void) {
    pthread_mutex_lock(&desk.lock);
    while (desk.open > 0) pthread_cond_wait(&desk.none_left, &desk.lock);
    pthread_mutex_unlock(&desk.lock);
}

static void *actuary(void *unused) {
    pthread_mutex_lock(&desk.lock);
    for (;;) {
        while (desk.head == 0 && !desk.closed) pthread_cond_wait(&desk.some, &desk.lock);
        Task *task = desk.head;
        if (task == 0) break;
        desk.head = task->next;
        if (desk.head == 0) desk.tail = &desk.head;
        pthread_mutex_unlock(&desk.lock);
        uint64_t loss = 0;
        for (long s = task->from; s < task->to; s++) loss += scenario((uint64_t)s, task->reserve);
        task->loss = loss;
        pthread_mutex_lock(&desk.lock);
        if (--desk.open == 0) pthread_cond_signal(&desk.none_left);
    }
    pthread_mutex_unlock(&desk.lock);
    return unused;
}

/* The odd number whose inverse is nearest; what is missing is made up for in later quarters. */
static int coarse(double dial, double *owed) {
    double wanted = dial + *owed;
    int count = 1;
    while (count < FINE - 1) {
        double here = 1.0 / count - wanted, next = 1.0 / (count + 2) - wanted;
        if (here * here <= next * next) break;
        count += 2;
    }
    *owed = wanted - 1.0 / count;
    return count;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    int threads = atoi(argv[1]);
    double dial = atof(argv[2]), owed = 0;
    long scenarios = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    desk.tail = &desk.head;
    pthread_t staff[MOST];
    for (int t = 0; t < threads; t++)
        if (pthread_create(&staff[t], 0, actuary, 0) != 0) return 1;
    static Task tasks[FINE];
    uint64_t reserve = 77;
    for (int quarter = 0; quarter < QUARTERS; quarter++) {
        int count = dial > 0 ? coarse(dial, &owed) : FINE;
        for (int k = 0; k < count; k++) {
            tasks[k] = (Task){0, scenarios * k / count, scenarios * (k + 1) / count, reserve, 0};
            submit(&tasks[k]);
        }
        wait_for_all();
        uint64_t loss = 0;
        for (int k = 0; k < count; k++) loss += tasks[k].loss;
        reserve = reserve * 31 + loss;
    }
    pthread_mutex_lock(&desk.lock);
    desk.closed = 1;
    pthread_cond_broadcast(&desk.some);
    pthread_mutex_unlock(&desk.lock);
    for (int t = 0; t < threads; t++) pthread_join(staff[t], 0);
    printf("reserve after %d quarters: %016llx\n", QUARTERS, (unsigned long long)reserve);
    return 0;
}
