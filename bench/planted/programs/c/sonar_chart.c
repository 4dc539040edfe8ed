/* Sleeping lock: a survey ship's pings are correlated with the chirp that was sent, and the echoes drawn into a chart.
 *
 * A ping is an array of samples that a seeded sea bed returns. It is windowed, transformed, multiplied with the chirp's
 * spectrum and transformed back; the strongest delays are added to the chart. Every thread has a chart of its own and
 * they are added up at the end. The dial is the share of the pings that go to the common chart instead: the thread
 * takes the chart's mutex before it correlates, for some tens of microseconds, and others that need it sleep. A single
 * thread takes the mutex as often and never waits. */
#include <string.h>

#include "work.h"

enum { BITS = 11, SAMPLES = 1 << BITS, CHART = 512, ECHOES = 5 };

typedef struct {
    float re, im;
} Wave;

typedef struct {
    uint64_t depth[CHART];
} Chart;

static Wave turns[SAMPLES / 2], chirp[SAMPLES];
static float window[SAMPLES];

static struct {
    pthread_mutex_t lock;
    Chart chart;
} common = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void swap_bits(Wave *a) {
    for (unsigned i = 1, j = 0; i < SAMPLES; i++) {
        unsigned bit = SAMPLES >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            Wave kept = a[i];
            a[i] = a[j];
            a[j] = kept;
        }
    }
}

static void transform(Wave *a) {
    swap_bits(a);
    for (int half = 1; half < SAMPLES; half *= 2) {
        int stride = SAMPLES / 2 / half;
        for (int start = 0; start < SAMPLES; start += 2 * half) {
            for (int k = 0; k < half; k++) {
                Wave w = turns[k * stride], *low = &a[start + k], *high = low + half;
                Wave turned = {high->re * w.re - high->im * w.im, high->re * w.im + high->im * w.re};
                *high = (Wave){low->re - turned.re, low->im - turned.im};
                low->re += turned.re;
                low->im += turned.im;
            }
        }
    }
}

/* Sines by turning a unit vector step by step, by 2 pi / SAMPLES. */
static void tables(void) {
    const double cosine = 0.99999529380957618, sine = 0.0030679567629659763;
    double re = 1, im = 0;
    for (int i = 0; i < SAMPLES / 2; i++) {
        turns[i] = (Wave){(float)re, (float)-im};
        double turned = re * cosine - im * sine;
        im = re * sine + im * cosine;
        re = turned;
    }
    for (int i = 0; i < SAMPLES; i++) window[i] = 0.54f - 0.46f * turns[i % (SAMPLES / 2)].re * (i < SAMPLES / 2 ? 1 : -1);
    for (int i = 0; i < SAMPLES / 8; i++) chirp[i].re = turns[i * i / 8 % (SAMPLES / 2)].im;
    transform(chirp);
}

/* What the hydrophone hears: three reflectors and the noise of the sea. */
static void listen(long ping, Wave *heard) {
    uint64_t seed = (uint64_t)ping * 0x9E3779B97F4A7C15u + 77;
    for (int i = 0; i < SAMPLES; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        heard[i] = (Wave){(float)(int8_t)(seed >> 32) * 0.004f, 0};
    }
    for (int reflector = 0; reflector < 3; reflector++) {
        int delay = (int)(ping * (7 + 6 * reflector) % (SAMPLES / 2)) + 40 * reflector;
        for (int i = 0; i < SAMPLES / 8; i++) heard[delay + i].re += turns[i * i / 8 % (SAMPLES / 2)].im;
    }
    for (int i = 0; i < SAMPLES; i++) heard[i].re *= window[i];
}

static void draw(Chart *chart, long ping, Wave *heard) {
    transform(heard);
    for (int i = 0; i < SAMPLES; i++) {
        Wave h = heard[i], c = chirp[i];
        /* Conjugated, so that the same transform leads back. */
        heard[i] = (Wave){h.re * c.re + h.im * c.im, h.re * c.im - h.im * c.re};
    }
    transform(heard);
    for (int echo = 0; echo < ECHOES; echo++) {
        int best = 0;
        float most = -1;
        for (int i = 0; i < SAMPLES; i++) {
            float power = heard[i].re * heard[i].re + heard[i].im * heard[i].im;
            if (power > most) {
                most = power;
                best = i;
            }
        }
        heard[best] = (Wave){0, 0};
        chart->depth[ping % CHART] += (uint64_t)(best + 1) * (unsigned)(echo + 3);
    }
}

static uint64_t chart_sum(const Chart *chart) {
    uint64_t sum = 0;
    for (int i = 0; i < CHART; i++) sum += chart->depth[i] * (2654435761u * (uint64_t)(i + 1));
    return sum;
}

static uint64_t survey(int thread) {
    Chart own;
    Wave heard[SAMPLES];
    memset(&own, 0, sizeof own);
    for (long ping = first(thread); ping < first(thread + 1); ping++) {
        listen(ping, heard);
        if (picked((uint64_t)ping)) {
            pthread_mutex_lock(&common.lock);
            draw(&common.chart, ping, heard);
            pthread_mutex_unlock(&common.lock);
        } else {
            draw(&own, ping, heard);
        }
    }
    return chart_sum(&own);
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    tables();
    uint64_t sum = in_threads(survey);
    print_answer(sum + chart_sum(&common.chart));
    return 0;
}
