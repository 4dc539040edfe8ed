/* Toll gates: collects the fees of all vehicles that pass a toll plaza.
 *
 *     tollgates THREADS DIAL VEHICLES
 *
 * A gate serves one vehicle at a time: the next one waits until the bar is up. DIAL is the share of the vehicles
 * that have to use the gate with the weighbridge; all others spread over the other gates. */
#include <stdatomic.h>

#include "work.h"

enum { GATES = 64, WEIGHBRIDGE = 0, APPROACH_STEPS = 1500, FEE_STEPS = 6000 };

struct Gate {
    _Alignas(LINE) atomic_int down;
    uint64_t vehicles, takings;
};

static struct Gate plaza[GATES];

static void enter(struct Gate *gate) {
    while (atomic_load_explicit(&gate->down, memory_order_relaxed) ||
           atomic_exchange_explicit(&gate->down, 1, memory_order_acquire)) {
#if defined __x86_64__
        __builtin_ia32_pause();
#endif
    }
}

static void leave(struct Gate *gate) { atomic_store_explicit(&gate->down, 0, memory_order_release); }

static struct Gate *gate_for(uint64_t vehicle) {
    if (picked(vehicle)) return &plaza[WEIGHBRIDGE];
    uint64_t lane = (vehicle + 1) * 0xD6E8FEB86659FD93u >> 32;
    return &plaza[1 + lane % (GATES - 1)];
}

/* A lane of traffic that one thread serves. */
static uint64_t serve(int thread) {
    uint64_t tickets = 0;
    for (long vehicle = first(thread); vehicle < first(thread + 1); vehicle++) {
        tickets ^= unit((uint64_t)vehicle, APPROACH_STEPS);
        struct Gate *gate = gate_for((uint64_t)vehicle);
        enter(gate);
        gate->vehicles++;
        gate->takings += unit((uint64_t)vehicle << 20, FEE_STEPS) >> 40;
        leave(gate);
    }
    return tickets & 0xFF; /* one digit of all tickets; not part of the takings */
}

int main(int argc, char **argv) {
    arguments(argc, argv);
    uint64_t vehicles = 0, takings = 0;
    if (in_threads(serve) == UINT64_MAX) return 1;
    for (int gate = 0; gate < GATES; gate++) {
        vehicles += plaza[gate].vehicles;
        takings += plaza[gate].takings;
    }
    printf("%llu vehicles paid %llu\n", (unsigned long long)vehicles, (unsigned long long)takings);
    return 0;
}
