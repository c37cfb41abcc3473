// What every program needs: its directory, a buffer, and the certainty that its calls did what its
// comments say.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Aligned, so that only programs about alignment have accesses that are not.
static char buf[4 << 20] __attribute__((aligned(4096), unused));

// The call gives this value.
#define is(value, call)                                                                            \
    do {                                                                                           \
        long long got_ = (long long)(call), want_ = (long long)(value);                            \
        if (got_ != want_) {                                                                       \
            dprintf(2, "%s:%d: %s is %lld, not %lld: %s\n", __FILE__, __LINE__, #call, got_,       \
                    want_, strerror(errno));                                                       \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

// The call gives something other than -1; its value.
#define ok(call)                                                                                   \
    ({                                                                                             \
        long long got_ = (long long)(call);                                                        \
        if (got_ == -1) {                                                                          \
            dprintf(2, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, strerror(errno));             \
            _exit(1);                                                                              \
        }                                                                                          \
        got_;                                                                                      \
    })

// The call gives a pointer; that pointer.
#define there(call)                                                                                \
    ({                                                                                             \
        __typeof__(call) got_ = (call);                                                            \
        if (!got_) {                                                                               \
            dprintf(2, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, strerror(errno));             \
            _exit(1);                                                                              \
        }                                                                                          \
        got_;                                                                                      \
    })

// Goes to the directory that the first argument names.
static inline void go(char **argv) {
    is(0, chdir(argv[1]));
}

// A descriptor of a new file. It is not truncated, because that makes some file systems wait for the disk.
static inline int create(const char *name) {
    return ok(open(name, O_RDWR | O_CREAT, 0644));
}
