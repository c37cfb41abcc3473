// Pages of a file in any order.
#pragma once
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common.h"

enum { PAGE = 4096 };

// Opens the file, which is then in no cache.
static inline int open_cold(const char *name, long *pages) {
    int fd = open(name, O_RDONLY);
    need(fd >= 0, name);
    struct stat found;
    need(fstat(fd, &found) == 0, name);
    *pages = found.st_size / PAGE;
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return fd;
}

// So many different pages, in the order in which an index may name them.
static inline long *choose(long pages, long count) {
    long *order = malloc(pages * sizeof *order);
    need(order != NULL, "malloc");
    for (long i = 0; i < pages; i++)
        order[i] = i;
    uint64_t state = 1;
    for (long i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        long other = i + (long)((state >> 33) % (uint64_t)(pages - i));
        long page = order[i];
        order[i] = order[other];
        order[other] = page;
    }
    return order;
}

static inline uint64_t sum_of(int fd, const long *order, long count) {
    static unsigned char page[PAGE];
    uint64_t sum = 0;
    for (long i = 0; i < count; i++) {
        need(pread(fd, page, PAGE, order[i] * (off_t)PAGE) == PAGE, "pread");
        for (int at = 0; at < PAGE; at += 64)
            sum += page[at];
    }
    return sum;
}
