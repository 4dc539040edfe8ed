/* One stage of a pipeline: it works, then says where it may run. */
#include "own.h"

int main(void) {
    work(0.4);
    say("worker");
    return 0;
}
