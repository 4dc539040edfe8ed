/* Reads the digits dialled in recorded calls: Goertzel's filter for eight tones over every key press.
 *
 * A pool of threads takes jobs from a queue until it is empty. A job is a run of recordings, all of the same length.
 * The dial is the part of all recordings in one job: 0.2 gives five equal jobs, which two threads cannot share evenly.
 * At 0 there is a job for each 1/128 of them. */
#include "work.h"

enum { PRESS = 400, PRESSES = 12, FINE = 128 };

struct job {
    long from, to;
    struct job *next;
};

static struct {
    pthread_mutex_t lock;
    struct job *head;
} queue = {PTHREAD_MUTEX_INITIALIZER, 0};

/* 2 cos and sin of the angle from one sample to the next, for 697, 770, 852, 941, 1209, 1336, 1477 and 1633 Hz. */
static const double turn[8] = {1.70773781, 1.64528104, 1.56868698, 1.47820457, 1.16410402, 0.99637021, 0.79861839, 0.56853271};
static const double rise[8] = {0.52048813, 0.56856185, 0.62032676, 0.67359321, 0.81315156, 0.86707070, 0.91681632, 0.95874535};
static float wave[16][PRESS];

static void make_tones(void) {
    float sine[8][PRESS];
    for (int t = 0; t < 8; t++) {
        double before = -rise[t], now = 0;
        for (int i = 0; i < PRESS; i++) {
            sine[t][i] = (float)now;
            double after = turn[t] * now - before;
            before = now, now = after;
        }
    }
    for (int key = 0; key < 16; key++)
        for (int i = 0; i < PRESS; i++) wave[key][i] = sine[key / 4][i] + sine[4 + key % 4][i];
}

static int key_pressed(const float *sound) {
    double one[8] = {0}, two[8] = {0};
    for (int i = 0; i < PRESS; i++) {
        for (int t = 0; t < 8; t++) {
            double now = sound[i] + turn[t] * one[t] - two[t];
            two[t] = one[t];
            one[t] = now;
        }
    }
    int low = 0, high = 4;
    double power[8];
    for (int t = 0; t < 8; t++) power[t] = one[t] * one[t] + two[t] * two[t] - turn[t] * one[t] * two[t];
    for (int t = 1; t < 4; t++) {
        if (power[t] > power[low]) low = t;
        if (power[4 + t] > power[high]) high = 4 + t;
    }
    return low * 4 + high - 4;
}

static uint64_t number_dialled(long recording) {
    float sound[PRESS];
    uint64_t state = unit(recording, 3) | 1, digits = 0;
    for (int press = 0; press < PRESSES; press++) {
        int key = state >> 60;
        for (int i = 0; i < PRESS; i++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            sound[i] = wave[key][i] + (float)(int16_t)state * 2e-5f;
        }
        digits = digits << 4 | key_pressed(sound);
    }
    return digits;
}

static struct job *take(void) {
    pthread_mutex_lock(&queue.lock);
    struct job *job = queue.head;
    if (job) queue.head = job->next;
    pthread_mutex_unlock(&queue.lock);
    return job;
}

static uint64_t worker(int thread) {
    (void)thread;
    uint64_t sum = 0;
    for (struct job *job; (job = take());) {
        for (long i = job->from; i < job->to; i++) sum += number_dialled(i) * (2 * i + 1);
        free(job);
    }
    return sum;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    make_tones();
    long jobs = dial > 0 ? (long)(1 / dial + 0.5) : FINE;
    for (long j = jobs - 1; j >= 0; j--) {
        struct job *job = malloc(sizeof *job);
        *job = (struct job){work * j / jobs, work * (j + 1) / jobs, queue.head};
        queue.head = job;
    }
    print_answer(in_threads(worker));
    return 0;
}
