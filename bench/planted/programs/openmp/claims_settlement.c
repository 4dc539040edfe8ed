/* An insurer's accounts: tasks of claims are assessed in parallel and posted to one ledger in a critical section.
 *
 * The dial is the share of claims that are assessed inside the critical section, because reinsurance looks at the state
 * of the ledger; all others are assessed before it. A claim takes about 45 us. GCC's threads would poll for up to some
 * milliseconds before they sleep, so the program asks for OMP_WAIT_POLICY=passive unless the environment says otherwise:
 * the waits are those of a sleeping lock (of a spinning one under OMP_WAIT_POLICY=active). */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PER_TASK = 8, MONTHS = 1200, ACCOUNTS = 64 };

struct Claim {
    uint64_t sum_insured, damage;
    int account, reinsured;
};

static uint64_t ledger[ACCOUNTS];
static double dial;

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return x ^ x >> 32;
}

static struct Claim read_claim(long number) {
    uint64_t r = mix((uint64_t)number + 1);
    return (struct Claim){1000 + r % 900000, 1 + mix(r) % 50000, (int)(r >> 40) % ACCOUNTS,
                          (double)(mix(r + 1) >> 11) * 0x1p-53 < dial};
}

/* The reserve that a claim needs in integer cents, discounted over the months for several levels of interest. */
static uint64_t assess(const struct Claim *claim) {
    uint64_t reserve = 0;
    for (uint64_t basis_points = 100; basis_points < 120; basis_points++) {
        uint64_t rest = claim->damage * 100 << 16;
        for (int month = 0; month < MONTHS; month++) rest -= (rest * basis_points >> 17) - (rest >> 9 & 3);
        reserve += rest < claim->sum_insured * 100 << 16 ? rest : claim->sum_insured;
    }
    return reserve;
}

static void settle(long first, long end) {
    for (long i = first; i < end; i++) {
        struct Claim claim = read_claim(i);
        uint64_t reserve = claim.reinsured ? 0 : assess(&claim);
#pragma omp critical(ledger)
        {
            if (claim.reinsured) reserve = assess(&claim);
            ledger[claim.account] += reserve;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    if (!getenv("OMP_WAIT_POLICY")) {
        setenv("OMP_WAIT_POLICY", "passive", 1);
        execv("/proc/self/exe", argv);
    }
    dial = atof(argv[2]);
    long claims = atol(argv[3]);
#pragma omp parallel num_threads(atoi(argv[1]))
#pragma omp single
    for (long i = 0; i < claims; i += PER_TASK) {
        long end = i + PER_TASK < claims ? i + PER_TASK : claims;
#pragma omp task firstprivate(i, end)
        settle(i, end);
    }
    uint64_t sum = 0;
    for (int a = 0; a < ACCOUNTS; a++) sum = sum * 31 + ledger[a];
    printf("%016llx\n", (unsigned long long)sum);
    return 0;
}
