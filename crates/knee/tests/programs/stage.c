/* One stage of a pipeline: it works, then says where it may run. */
#include "own.h"

int main(void) {
    work(0.4);
    until_pinned();
    say("worker");
    return 0;
}
