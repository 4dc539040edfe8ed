// A region that lasts until the end of its block, also when an exception ends it.
#include <cstdio>
#include <stdexcept>

#include "knee_region.h"

static void step(bool fails) {
    knee::region guard("step");
    if (fails)
        throw std::runtime_error("on purpose");
}

int main() {
    static const knee_region_t known = knee_region("known");
    for (int call = 0; call < 4; call++) {
        knee::region guard(known);
        try {
            step(call == 2);
        } catch (const std::runtime_error &) {
            knee_region_begin("handled");
            knee_region_end("handled");
        }
    }
    std::puts("done");
}
