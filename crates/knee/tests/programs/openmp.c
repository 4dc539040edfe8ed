/* A team of OpenMP: every member works, then says where it may run. */
#include <omp.h>

#include "own.h"

int main(void) {
#pragma omp parallel
    {
        work(0.4);
        say("worker");
    }
    return 0;
}
