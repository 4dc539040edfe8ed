/* Lets no thread wait for a disk: loaded before the program's libraries (LD_PRELOAD), it leaves every file to the page
 * cache. Nothing is synced, files are opened without O_SYNC, O_DSYNC and O_DIRECT, and no page is dropped on demand.
 *
 * All that is written is read again as it was written, by every process. Only a crash of the machine would lose it, so
 * this tells what waits for the disk cost, and is nothing to keep. Reads of files that are not in memory yet still wait,
 * and so do writes with RWF_DSYNC and those by io_uring or aio. */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { WAITS = O_SYNC | O_DSYNC | O_DIRECT };

typedef int sync_function(void *, size_t, int);
typedef int advise_function(int, off64_t, off64_t, int);
typedef int open_function(const char *, int, ...);
typedef int open_at_function(int, const char *, int, ...);

/* A function of the C library behind this one. It is looked up each time, which costs less than opening a file. */
#define NEXT(type, name)                                                       \
    type *found;                                                               \
    *(void **)&found = dlsym(RTLD_NEXT, name)

static int is_open(int file) { return fcntl(file, F_GETFD) < 0 ? -1 : 0; }

int fsync(int file) { return is_open(file); }
int fdatasync(int file) { return is_open(file); }
int syncfs(int file) { return is_open(file); }
void sync(void) {}

int sync_file_range(int file, off64_t from, off64_t size, unsigned flags) {
    (void)from, (void)size, (void)flags;
    return is_open(file);
}

int msync(void *address, size_t size, int flags) {
    NEXT(sync_function, "msync");
    return found(address, size, flags & MS_SYNC ? (flags & ~MS_SYNC) | MS_ASYNC : flags);
}

static int advised(int file, int advice) {
    if (advice != POSIX_FADV_DONTNEED) return -1;
    return is_open(file) < 0 ? EBADF : 0;
}

int posix_fadvise(int file, off_t from, off_t size, int advice) {
    NEXT(advise_function, "posix_fadvise");
    int told = advised(file, advice);
    return told < 0 ? found(file, from, size, advice) : told;
}

int posix_fadvise64(int file, off64_t from, off64_t size, int advice) {
    NEXT(advise_function, "posix_fadvise64");
    int told = advised(file, advice);
    return told < 0 ? found(file, from, size, advice) : told;
}

/* Only files that may be made have a mode. */
#define MODE(flags)                                                            \
    mode_t mode = 0;                                                           \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {             \
        va_list more;                                                          \
        va_start(more, flags);                                                 \
        mode = va_arg(more, mode_t);                                           \
        va_end(more);                                                          \
    }

int open(const char *path, int flags, ...) {
    NEXT(open_function, "open");
    MODE(flags)
    return found(path, flags & ~WAITS, mode);
}

int open64(const char *path, int flags, ...) {
    NEXT(open_function, "open64");
    MODE(flags)
    return found(path, flags & ~WAITS, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    NEXT(open_at_function, "openat");
    MODE(flags)
    return found(folder, path, flags & ~WAITS, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    NEXT(open_at_function, "openat64");
    MODE(flags)
    return found(folder, path, flags & ~WAITS, mode);
}

/* What programs call that are compiled with _FORTIFY_SOURCE. */
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }
int __openat_2(int folder, const char *path, int flags) { return openat(folder, path, flags); }
int __openat64_2(int folder, const char *path, int flags) { return openat64(folder, path, flags); }
