/* A team of OpenMP: every member works, with a word until it is pinned, then says where it may run. */
#include <omp.h>

#include "own.h"

int main(int count, char **words) {
    (void)words;
#pragma omp parallel
    {
        work(0.4);
        if (count > 1) until_pinned();
        say("worker");
    }
    return 0;
}
