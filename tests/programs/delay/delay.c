// A striped file system, as delays: preloaded, it lets each read and write of a file below the folder
// DELAY_FOLDER take as long as it would take on a few storage targets that all processes share. Bytes
// go where they always go.
//
// All processes map DELAY_STATE, a file of zeros of the size of `struct state`. A target serves one
// request after the other. A file has 2 stripes of 1 MiB, or what the hints striping_factor and
// striping_unit say at MPI_File_open. A write to a stripe that another process wrote last waits for the
// lock. A process moves no more than its client can.
//
// Functions are looked up when they are first called: constructors of other libraries open files
// first. Handles of MPI are passed on as words, so that the layer does for any MPI.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { TARGETS = 16, LOCKS = 1 << 16, FILES = 64, DESCRIPTORS = 1024 };

// Nanoseconds, and bytes in a second.
static const uint64_t request_ns = 400000, lock_ns = 2000000, open_ns = 1000000, object_ns = 300000;
static const uint64_t target_rate = 40000000, client_rate = 200000000;

struct file {
    _Atomic uint64_t name, stripes, size;
};

struct state {
    _Atomic uint64_t free_at[TARGETS], busy[TARGETS], revocations, opens;
    _Atomic uint64_t locks[LOCKS];
    struct file files[FILES];
};

static struct state *state;
static const char *folder;
// The place of the file of a descriptor, and 1.
static _Atomic int open_files[DESCRIPTORS];

#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (!real)                                                                                     \
    real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static void wait_until(uint64_t end) {
    struct timespec time = {end / 1000000000, end % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0)
        ;
}

static uint64_t hash(const char *text) {
    uint64_t sum = 0xCBF29CE484222325;
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * 0x100000001B3;
    return sum | 1;
}

static struct state *shared(void) {
    static _Atomic int is_asked;
    if (!state && !atomic_exchange(&is_asked, 1)) {
        const char *path = getenv("DELAY_STATE");
        folder = getenv("DELAY_FOLDER");
        int file = path && folder ? (int)open(path, O_RDWR | O_CLOEXEC) : -1;
        if (file >= 0) {
            void *map = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            close(file);
            state = map == MAP_FAILED ? NULL : map;
        }
    }
    return state;
}

// The file of this name, if it is below the folder. Relative names are, if the process works there.
static struct file *named(const char *path) {
    char whole[4096];
    if (!path || !shared())
        return NULL;
    if (path[0] != '/') {
        if (!getcwd(whole, sizeof whole - 256) || strlen(path) > 250)
            return NULL;
        path = strcat(strcat(whole, "/"), strncmp(path, "./", 2) ? path : path + 2);
    }
    size_t length = strlen(folder);
    if (strncmp(path, folder, length) || path[length] != '/')
        return NULL;
    uint64_t name = hash(path);
    for (int i = 0; i < FILES; i++) {
        uint64_t none = 0;
        struct file *file = &state->files[i];
        if (atomic_compare_exchange_strong(&file->name, &none, name) || none == name)
            return file;
    }
    return NULL;
}

static uint64_t stripes(const struct file *file) { return file->stripes ? file->stripes : 2; }
static uint64_t stripe_size(const struct file *file) { return file->size ? file->size : 1 << 20; }

static int opened(const char *path, int descriptor) {
    struct file *file = descriptor >= 0 && descriptor < DESCRIPTORS ? named(path) : NULL;
    if (file) {
        atomic_store(&open_files[descriptor], (int)(file - state->files) + 1);
        atomic_fetch_add(&state->opens, 1);
        wait_until(now() + open_ns + object_ns * stripes(file));
    }
    return descriptor;
}

// The seconds that a target needs, after those that it owes to others.
static uint64_t served(int target, uint64_t begin, uint64_t cost) {
    atomic_fetch_add(&state->busy[target], cost);
    uint64_t before = atomic_load(&state->free_at[target]), end;
    do {
        end = (before > begin ? before : begin) + cost;
    } while (!atomic_compare_exchange_weak(&state->free_at[target], &before, end));
    return end;
}

// True if another process wrote the stripe last.
static int is_taken(const struct file *file, uint64_t stripe) {
    uint64_t key = ((file->name ^ stripe * 0x9E3779B97F4A7C15) >> 32) << 32;
    uint64_t own = key | (uint32_t)getpid();
    for (uint64_t probe = 0; probe < 64; probe++) {
        _Atomic uint64_t *lock = &state->locks[((key >> 32) + probe) % LOCKS];
        uint64_t found = atomic_load(lock);
        if (found == own)
            return 0;
        if (found >> 32 == key >> 32 && found)
            return atomic_exchange(lock, own) != own;
        if (!found && atomic_compare_exchange_strong(lock, &found, own))
            return 0;
    }
    return 0;
}

static void moved(int descriptor, off_t offset, ssize_t bytes, int is_write) {
    int place = descriptor >= 0 && descriptor < DESCRIPTORS ? open_files[descriptor] : 0;
    if (!place || bytes <= 0 || offset < 0)
        return;
    const struct file *file = &state->files[place - 1];
    uint64_t begin = now(), size = stripe_size(file), at = offset, end_at = at + bytes;
    uint64_t end = begin + bytes * 1000000000ull / client_rate;
    while (at < end_at) {
        uint64_t stripe = at / size, next = (stripe + 1) * size;
        uint64_t piece = (next < end_at ? next : end_at) - at;
        uint64_t cost = request_ns + piece * 1000000000ull / target_rate;
        if (is_write && is_taken(file, stripe)) {
            atomic_fetch_add(&state->revocations, 1);
            cost += lock_ns;
        }
        uint64_t done = served((file->name + stripe % stripes(file)) % TARGETS, begin, cost);
        end = done > end ? done : end;
        at += piece;
    }
    wait_until(end);
}

static ssize_t length(const struct iovec *pieces, int count) {
    ssize_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += pieces[i].iov_len;
    return sum;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        REAL(name);                                                                                \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;                          \
        va_end(rest);                                                                              \
        return opened(path, real(path, flags, mode));                                              \
    }
OPEN(open)
OPEN(open64)

int close(int descriptor) {
    REAL(close);
    if (descriptor >= 0 && descriptor < DESCRIPTORS)
        atomic_store(&open_files[descriptor], 0);
    return real(descriptor);
}

#define AT(name, type, is_write)                                                                   \
    ssize_t name(int descriptor, type data, size_t bytes, off_t offset) {                          \
        REAL(name);                                                                                \
        ssize_t done = real(descriptor, data, bytes, offset);                                      \
        moved(descriptor, offset, done, is_write);                                                 \
        return done;                                                                               \
    }
AT(pwrite, const void *, 1)
AT(pwrite64, const void *, 1)
AT(pread, void *, 0)
AT(pread64, void *, 0)

#define VECTOR_AT(name, is_write)                                                                  \
    ssize_t name(int descriptor, const struct iovec *pieces, int count, off_t offset) {            \
        REAL(name);                                                                                \
        ssize_t done = real(descriptor, pieces, count, offset);                                    \
        moved(descriptor, offset, done < length(pieces, count) ? done : length(pieces, count),     \
              is_write);                                                                           \
        return done;                                                                               \
    }
VECTOR_AT(pwritev, 1)
VECTOR_AT(pwritev64, 1)
VECTOR_AT(preadv, 0)
VECTOR_AT(preadv64, 0)

ssize_t write(int descriptor, const void *data, size_t bytes) {
    REAL(write);
    ssize_t done = real(descriptor, data, bytes);
    if (descriptor >= 0 && descriptor < DESCRIPTORS && open_files[descriptor])
        moved(descriptor, lseek(descriptor, 0, SEEK_CUR) - done, done, 1);
    return done;
}

ssize_t read(int descriptor, void *data, size_t bytes) {
    REAL(read);
    ssize_t done = real(descriptor, data, bytes);
    if (descriptor >= 0 && descriptor < DESCRIPTORS && open_files[descriptor])
        moved(descriptor, lseek(descriptor, 0, SEEK_CUR) - done, done, 0);
    return done;
}

// A number of an info, or 0.
static uint64_t hint(uintptr_t info, const char *key) {
    static int (*get)(uintptr_t, const char *, int, char *, int *);
    if (!get)
        get = (__typeof__(get))dlsym(RTLD_DEFAULT, "PMPI_Info_get");
    char value[64] = "";
    int is_there = 0;
    if (!get || get(info, key, sizeof value - 1, value, &is_there) || !is_there)
        return 0;
    return strtoull(value, NULL, 10);
}

int MPI_File_open(uintptr_t all, const char *path, int mode, uintptr_t info, uintptr_t *handle) {
    REAL(MPI_File_open);
    uintptr_t none = (uintptr_t)dlsym(RTLD_DEFAULT, "ompi_mpi_info_null");
    struct file *file = info == (none ? none : 0x1C000000) ? NULL : named(path);
    if (file) {
        uint64_t count = hint(info, "striping_factor"), size = hint(info, "striping_unit");
        if (count)
            atomic_store(&file->stripes, count < TARGETS ? count : TARGETS);
        if (size)
            atomic_store(&file->size, size);
    }
    return real(all, path, mode, info, handle);
}
