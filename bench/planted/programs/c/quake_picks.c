/* Finds earthquakes: threads take seismic traces in turn and run a detector (short against long averages) over them; a
 * catalogue thread sleeps on a condition until picks are posted behind a mutex, and adds them up.
 *
 * The dial is the share of the traces whose picks are posted at once, so that the catalogue is woken for each; the rest
 * is kept and posted at the thread's end. A decoy for a sleeping lock: there are many futex calls and sleeps at one
 * address, but the sleeper has next to nothing to do and nobody waits for it. There is no cause at any dial. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 20000, SHORT = 32, LONG = 1024, MOST = 64, ROOM = 4096 };

struct Pick {
    long trace;
    uint64_t energy, triggers;
};

struct Detector {
    _Alignas(128) pthread_t id;
    int32_t ring[LONG];
    struct Pick *kept;
    long kept_count;
};

static int threads;
static double dial;
static long traces;
static atomic_long next_trace;
static struct Detector detectors[MOST];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t posted;
    struct Pick board[ROOM];
    int count, closed;
    uint64_t total;
} catalogue = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER};

static int at_once(long trace) {
    uint64_t x = ((uint64_t)trace + 1) * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93u;
    return (double)(x >> 11) * 0x1p-53 < dial;
}

static uint64_t weighed(const struct Pick *pick) {
    return (pick->energy ^ (uint64_t)pick->trace * 0x9E3779B97F4A7C15u) * (pick->triggers * 2 + 1);
}

static void *keep_catalogue(void *unused) {
    (void)unused;
    pthread_mutex_lock(&catalogue.lock);
    while (!catalogue.closed || catalogue.count) {
        while (!catalogue.count && !catalogue.closed) pthread_cond_wait(&catalogue.posted, &catalogue.lock);
        while (catalogue.count) catalogue.total += weighed(&catalogue.board[--catalogue.count]);
    }
    pthread_mutex_unlock(&catalogue.lock);
    return 0;
}

/* A full board is emptied by whoever finds it full. */
static void post(const struct Pick *picks, long count) {
    pthread_mutex_lock(&catalogue.lock);
    for (long i = 0; i < count; i++) {
        if (catalogue.count == ROOM)
            while (catalogue.count) catalogue.total += weighed(&catalogue.board[--catalogue.count]);
        catalogue.board[catalogue.count++] = picks[i];
    }
    pthread_cond_signal(&catalogue.posted);
    pthread_mutex_unlock(&catalogue.lock);
}

static struct Pick detect(struct Detector *me, long trace) {
    struct Pick pick = {.trace = trace};
    uint64_t noise = ((uint64_t)trace + 7) * 0x9E3779B97F4A7C15u;
    int64_t brief = 0, slow = 0;
    int32_t ground = 0;
    int triggered = 0;
    for (int i = 0; i < LONG; i++) me->ring[i] = 0;
    for (int i = 0; i < SAMPLES; i++) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        int32_t shake = (noise >> 56) == 3 ? 40 : 1;
        ground += (int32_t)((int64_t)(noise >> 33) % 201 - 100) * shake / 4 - ground / 8;
        int32_t size = ground < 0 ? -ground : ground;
        brief += size - me->ring[(i + LONG - SHORT) % LONG];
        slow += size - me->ring[i % LONG];
        me->ring[i % LONG] = size;
        int above = brief * (LONG / SHORT) > slow * 3;
        pick.triggers += above && !triggered;
        pick.energy += (uint64_t)(above ? size : 0);
        triggered = above;
    }
    return pick;
}

static void *run_detector(void *given) {
    struct Detector *me = given;
    for (;;) {
        long trace = atomic_fetch_add(&next_trace, 1);
        if (trace >= traces) break;
        struct Pick pick = detect(me, trace);
        if (at_once(trace)) post(&pick, 1);
        else me->kept[me->kept_count++] = pick;
    }
    post(me->kept, me->kept_count);
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s THREADS DIAL WORK\n", argv[0]);
        return 2;
    }
    threads = atoi(argv[1]);
    dial = atof(argv[2]);
    traces = atol(argv[3]);
    pthread_t keeper;
    if (pthread_create(&keeper, 0, keep_catalogue, 0) != 0) return 1;
    for (int i = 0; i < threads; i++) {
        detectors[i].kept = malloc((size_t)(traces + 1) * sizeof(struct Pick));
        if (!detectors[i].kept || pthread_create(&detectors[i].id, 0, run_detector, &detectors[i]) != 0) return 1;
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(detectors[i].id, 0);
        free(detectors[i].kept);
    }
    pthread_mutex_lock(&catalogue.lock);
    catalogue.closed = 1;
    pthread_cond_signal(&catalogue.posted);
    pthread_mutex_unlock(&catalogue.lock);
    pthread_join(keeper, 0);
    printf("%016llx\n", (unsigned long long)catalogue.total);
    return 0;
}
