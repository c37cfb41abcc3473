// Makes file accesses and says what they cost this program. Run by `ioglass-bench-overhead`, bare
// and under each recorder.
#include "driver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *tracked_dir, *untracked_dir;

int open_in(const char *dir, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    check(fd >= 0, path);
    return fd;
}

const char *numbered(long i) {
    static __thread char path[4096];
    snprintf(path, sizeof path, "%s/many/%06ld", tracked_dir, i);
    return path;
}

uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort(double *values, long count) { qsort(values, count, sizeof *values, ascending); }

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "cost"))
        return cost_mode(argv + 2);
    if (argc < 4) {
        fprintf(stderr, "usage: driver cost [NAME=VALUE]... COMMAND...\n"
                        "       driver TRACKED UNTRACKED MODE [ARGUMENT]...\n");
        return 2;
    }
    tracked_dir = argv[1];
    untracked_dir = argv[2];
    const char *mode = argv[3], *word = argc > 4 ? argv[4] : "";
    long number = argc > 4 ? atol(argv[argc - 1]) : 0;
    if (!strcmp(mode, "calls"))
        calls_mode();
    else if (!strcmp(mode, "count"))
        count_mode(word, number);
    else if (!strcmp(mode, "threads"))
        threads_mode(number);
    else if (!strcmp(mode, "open-files"))
        open_files_mode(number);
    else if (!strcmp(mode, "make-files"))
        make_files_mode(number);
    else if (!strcmp(mode, "first-open"))
        first_open_mode(number);
    else if (!strcmp(mode, "memory"))
        memory_mode(number);
    else if (!strcmp(mode, "one-file"))
        one_file_mode();
    else if (!strcmp(mode, "stream"))
        stream_mode(word, number);
    else
        return fprintf(stderr, "driver: no mode %s\n", mode), 2;
    return 0;
}
