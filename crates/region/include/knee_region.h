/* Marks the phases of a program, so that `knee run` records the time that each of them takes.
 *
 *     knee_region_begin("load");
 *     ...
 *     knee_region_end("load");
 *
 * Regions belong to the thread that enters them, may be nested, and may be entered any number of times. For a region
 * that is entered very often, look its name up once:
 *
 *     static knee_region_t step;
 *     step = knee_region("step");
 *     ...
 *     knee_region_enter(step);
 *     ...
 *     knee_region_leave(step);
 *
 * In C++, `knee::region guard("load");` lasts until the end of its block.
 *
 * Do not enter or leave regions, or count, in a signal handler.
 *
 * Workers may publish running counters, numbers that only grow, so that they can be drawn over time:
 *
 *     knee_count("matches", found);
 *
 * or by a handle, `knee_counter_t matches = knee_counter("matches");` and `knee_counter_add(matches, found);`. Each
 * thread counts for itself, and the sum over all threads is sampled. Add once for each chunk of work, not for each
 * item.
 *
 * A program that `knee run` has started has a listener, which records. Without a listener, begin and end are one load
 * and one branch, enter and leave one branch. Link with -lknee_region (libknee_region.so or libknee_region.a).
 */
#ifndef KNEE_REGION_H
#define KNEE_REGION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Results of knee_region_state: without and with a listener. */
#define KNEE_REGION_SILENT 1
#define KNEE_REGION_LISTENING 2

/* A region whose name was looked up; null without a listener. */
typedef const struct knee_region_name *knee_region_t;

/* A running counter whose name was looked up; null without a listener. */
typedef const struct knee_counter_name *knee_counter_t;

/* Whether there is a listener. It does not change while the program runs. */
int knee_region_state(void);

/* Looks a name up. Any thread may use the handle until the process ends. */
knee_region_t knee_region(const char *name);

/* Looks the name of a running counter up. Any thread may use the handle until the process ends. */
knee_counter_t knee_counter(const char *name);

/* The functions that those below call, for languages that cannot include this header. */
int knee_region_begin_by_name(const char *name);
int knee_region_end_by_name(const char *name);
void knee_region_begin_known(knee_region_t region);
void knee_region_end_known(knee_region_t region);
int knee_count_by_name(const char *name, uint64_t more);
void knee_counter_add_known(knee_counter_t counter, uint64_t more);

/* The result of knee_region_state, cached in each source file; 0 until it is known. */
static int knee_region_state_here;

static inline int knee_region_silent_here(void) {
    return __builtin_expect(__atomic_load_n(&knee_region_state_here, __ATOMIC_RELAXED) == KNEE_REGION_SILENT, 1) != 0;
}

static inline void knee_region_heard(int state) {
    /* Not with a listener: threads would take the cache line from each other at every call. */
    if (state == KNEE_REGION_SILENT)
        __atomic_store_n(&knee_region_state_here, state, __ATOMIC_RELAXED);
}

/* Enters the region of this name. */
static inline void knee_region_begin(const char *name) {
    if (!knee_region_silent_here())
        knee_region_heard(knee_region_begin_by_name(name));
}

/* Leaves the region of this name. */
static inline void knee_region_end(const char *name) {
    if (!knee_region_silent_here())
        knee_region_heard(knee_region_end_by_name(name));
}

/* Enters a region by its handle. */
static inline void knee_region_enter(knee_region_t region) {
    if (__builtin_expect(region != 0, 0))
        knee_region_begin_known(region);
}

/* Leaves a region by its handle. */
static inline void knee_region_leave(knee_region_t region) {
    if (__builtin_expect(region != 0, 0))
        knee_region_end_known(region);
}

/* Adds to the running counter of this name. */
static inline void knee_count(const char *name, uint64_t more) {
    if (!knee_region_silent_here())
        knee_region_heard(knee_count_by_name(name, more));
}

/* Adds to a running counter by its handle. */
static inline void knee_counter_add(knee_counter_t counter, uint64_t more) {
    if (__builtin_expect(counter != 0, 0))
        knee_counter_add_known(counter, more);
}

#ifdef __cplusplus
}

namespace knee {

/* A region from here to the end of the block. */
class region {
public:
    explicit region(const char *name) : handle(silent() ? nullptr : knee_region(name)) { knee_region_enter(handle); }
    explicit region(knee_region_t known) : handle(known) { knee_region_enter(handle); }
    ~region() { knee_region_leave(handle); }
    region(const region &) = delete;
    region &operator=(const region &) = delete;

private:
    /* Not the static above: an inline function has to mean the same in every file. */
    static bool silent() {
        static const bool found = knee_region_state() == KNEE_REGION_SILENT;
        return found;
    }
    knee_region_t handle;
};

} // namespace knee
#endif

#endif
