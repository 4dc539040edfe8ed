/* waits FILE: two threads that work until FILE is there, and a while longer. When they do there is FILE.running, with the
 * process's number in it. */
#include <pthread.h>

#include "own.h"

static const char *file;

static void *member(void *unused) {
    while (access(file, F_OK)) work(0.005);
    work(0.3);
    return unused;
}

int main(int count, char **words) {
    if (count < 2) return 2;
    file = words[1];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, member, 0);
    work(0.2);
    char running[4096];
    snprintf(running, sizeof running, "%s.running", file);
    FILE *sign = fopen(running, "w");
    if (sign) fprintf(sign, "%d\n", getpid());
    if (sign) fclose(sign);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
    return 0;
}
