/* Takes all the rights it can have, and stays for a while. Exit status 9 where it gets none. */
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
    if (setresuid(0, 0, 0)) return 9;
    sleep(20);
    return 0;
}
