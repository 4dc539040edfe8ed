/* Memory bandwidth: simulates a population of leaky neurons in fixed point, whose state fills four large arrays.
 *
 * A step reads voltage, recovery and input of each neuron, and writes voltage, recovery and spikes. Steps come in
 * groups of 8. The dial is the share of the groups that sweep over all neurons of the thread (96 MiB in all) once for
 * every step, as a simulation does that is written step by step; all other groups take 1024 neurons through their 8
 * steps before the next ones, so what they compute on stays in the cache. The instructions are the same, and so are
 * all states. The arrays lie in huge pages and are filled once at the start, at every dial, by the thread that uses
 * them. */
#include <omp.h>
#include <sys/mman.h>

#include "../c/work.h"

enum { TILE = 1024, GROUP = 8, LANES = 4 };

static const long NEURONS = 6 << 20;

/* Four neurons, so that the compiler makes vector instructions at -O2. */
typedef uint32_t Lanes __attribute__((vector_size(16)));

static Lanes *voltages, *recoveries, *inputs, *spikes;

static void step(long begin, long end) {
    for (long i = begin; i < end; i++) {
        Lanes v = voltages[i], u = recoveries[i];
        v += inputs[i] - (v >> 4) - (u >> 3);
        Lanes fired = v >> 30;
        u += (v >> 6) - (u >> 5);
        voltages[i] = v & 0x3FFFFFFF;
        recoveries[i] = u;
        spikes[i] += fired;
    }
}

static uint64_t simulate(int thread) {
    long vectors = NEURONS / LANES, tiles = vectors / TILE;
    long begin = tiles * thread / threads * TILE, end = tiles * (thread + 1) / threads * TILE;
    uint64_t sum = 0;
    for (long i = begin; i < end; i++) {
        uint32_t x = (uint32_t)i * 0x9E3779B1u;
        voltages[i] = recoveries[i] = spikes[i] = (Lanes){0};
        inputs[i] = (Lanes){x >> 8, x >> 7, x >> 6, x >> 5};
    }
    for (long group = 0; group < work; group++) {
        int swept = (long)((double)(group + 1) * dial) > (long)((double)group * dial);
        long size = swept ? end - begin : TILE / LANES;
        for (long at = begin; at < end; at += size) {
            for (int i = 0; i < GROUP; i++) step(at, at + size);
        }
    }
    for (long i = begin; i < end; i++) {
        Lanes all = spikes[i] ^ voltages[i];
        sum += (uint64_t)all[0] + all[1] + all[2] + all[3];
    }
    return sum;
}

static Lanes *array(void) {
    size_t bytes = (size_t)NEURONS * sizeof(uint32_t);
    Lanes *lanes = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (lanes == MAP_FAILED) exit(1);
    madvise(lanes, bytes, MADV_HUGEPAGE);
    return lanes;
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    voltages = array();
    recoveries = array();
    inputs = array();
    spikes = array();
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum) num_threads(threads)
    sum += simulate(omp_get_thread_num());
    print_answer(sum);
    return 0;
}
