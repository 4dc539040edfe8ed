/* Scores poses of a molecule, one after another: every pose moves the atoms and then sums the energy of all pairs, a
 * triangle of rows that becomes shorter and shorter. The rows are divided beforehand into one range for each thread; the
 * dial moves the limits from ranges with equally many pairs (0) to ranges with equally many rows (1), so that the thread
 * with the first rows has more to do and the others wait at the barrier after each pose: imbalance. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ATOMS = 5400, MOST = 64 };

typedef struct {
    double x, y, z, charge;
} Atom;

static Atom rest[ATOMS], placed[ATOMS];
static int threads;
static long poses;
static double dial;
static int limit[MOST + 1];
static pthread_barrier_t gate;
static struct {
    _Alignas(128) int64_t energy;
} partial[MOST];
static int64_t best;
static long best_pose;
static uint64_t trail;
static double shift[3];

static uint64_t scramble(uint64_t v) {
    v = (v + 0x632BE59BD9B4E019u) * 0x9E3779B97F4A7C15u;
    v = (v ^ v >> 31) * 0xD6E8FEB86659FD93u;
    return v ^ v >> 29;
}

static double unitary(uint64_t v) { return (double)(scramble(v) >> 11) * 0x1p-53; }

/* A root by Newton's steps, so that no library is needed. */
static double root(double v) {
    double r = v > 1 ? v : 1;
    for (int i = 0; i < 60; i++) r = 0.5 * (r + v / r);
    return r;
}

static void divide_rows(void) {
    for (int t = 0; t <= threads; t++) {
        double share = (double)t / threads;
        double by_pairs = t == threads ? 1 : 1 - root(1 - share);
        limit[t] = (int)(ATOMS * ((1 - dial) * by_pairs + dial * share));
    }
    limit[threads] = ATOMS;
}

static void place(int from, int to) {
    for (int i = from; i < to; i++) {
        Atom a = rest[i];
        a.x += shift[0] * a.y;
        a.y += shift[1] * a.z;
        a.z += shift[2] * a.x;
        placed[i] = a;
    }
}

static int64_t row_energy(int i) {
    const Atom a = placed[i];
    int64_t sum = 0;
    for (int j = i + 1; j < ATOMS; j++) {
        double dx = placed[j].x - a.x, dy = placed[j].y - a.y, dz = placed[j].z - a.z;
        double near = 1.0 / (dx * dx + dy * dy + dz * dz + 0.5);
        double six = near * near * near;
        sum += (int64_t)((six * six - six + a.charge * placed[j].charge * near) * 65536.0);
    }
    return sum;
}

static void judge(long pose) {
    int64_t energy = 0;
    for (int t = 0; t < threads; t++) energy += partial[t].energy;
    trail = scramble(trail ^ (uint64_t)energy);
    if (pose == 0 || energy < best) {
        best = energy;
        best_pose = pose;
    }
    for (int k = 0; k < 3; k++) shift[k] = 0.2 * unitary(trail + (uint64_t)k) - 0.1;
}

static void *scorer(void *given) {
    int me = (int)(intptr_t)given;
    for (long pose = 0; pose < poses; pose++) {
        place(ATOMS * me / threads, ATOMS * (me + 1) / threads);
        pthread_barrier_wait(&gate);
        int64_t energy = 0;
        for (int i = limit[me]; i < limit[me + 1]; i++) energy += row_energy(i);
        partial[me].energy = energy;
        if (pthread_barrier_wait(&gate) == PTHREAD_BARRIER_SERIAL_THREAD) judge(pose);
        pthread_barrier_wait(&gate);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    poses = atol(argv[3]);
    if (threads < 1 || threads > MOST) return 2;
    for (int i = 0; i < ATOMS; i++) {
        uint64_t s = 8 * (uint64_t)i;
        rest[i] = (Atom){20 * unitary(s), 20 * unitary(s + 1), 20 * unitary(s + 2), unitary(s + 3) - 0.5};
    }
    divide_rows();
    pthread_barrier_init(&gate, 0, (unsigned)threads);
    pthread_t ids[MOST];
    for (int t = 1; t < threads; t++)
        if (pthread_create(&ids[t], 0, scorer, (void *)(intptr_t)t) != 0) return 1;
    scorer(0);
    for (int t = 1; t < threads; t++) pthread_join(ids[t], 0);
    printf("best pose %ld energy %lld trail %016llx\n", best_pose, (long long)best, (unsigned long long)trail);
    return 0;
}
