// 400 pieces of work, five milliseconds each, for a parallel loop of TBB.
#include <tbb/parallel_for.h>

#include "own.h"

int main() {
    tbb::parallel_for(0, 400, [](int) { work(0.005); });
}
