// Many files: open at once, opened for the first time, and remembered.
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCHES = 40, HOT_BATCH = 1024, FIRST_BATCH = 100, SIZES = 8 };

static int open_numbered(long i) {
    const char *path = numbered(i);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    check(fd >= 0, path);
    return fd;
}

static void make_folder(void) {
    char path[4096];
    snprintf(path, sizeof path, "%s/many", tracked_dir);
    check(mkdir(path, 0700) == 0 || errno == EEXIST, path);
}

// The cheapest batch of `count` writes that go to `files` descriptors in turn.
static double write_in_turn(const int *fds, long files, long count) {
    char buffer[64] = {0};
    int64_t least = INT64_MAX;
    for (int b = 0; b < BATCHES; b++) {
        int64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
        for (long i = 0; i < count; i++)
            check(pwrite(fds[i % files], buffer, sizeof buffer, 0) == sizeof buffer, "pwrite");
        int64_t time = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
        if (time < least)
            least = time;
    }
    return (double)least / count;
}

void open_files_mode(long files) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    check(setrlimit(RLIMIT_NOFILE, &limit) == 0, "RLIMIT_NOFILE");
    make_folder();
    int *fds = malloc(files * sizeof *fds);
    for (long i = 0; i < files; i++)
        fds[i] = open_numbered(i);
    printf("%ld open files, the last\t%.2f\n", files,
           write_in_turn(fds + files - 1, 1, HOT_BATCH));
    printf("%ld open files, in turn\t%.2f\n", files,
           write_in_turn(fds, files, files < HOT_BATCH ? HOT_BATCH : files));
    free(fds);
}

void make_files_mode(long files) {
    make_folder();
    for (long i = 0; i < files; i++)
        close(open_numbered(i));
}

// No file is opened twice, so the median counts: some batches pay for growing what others use.
void first_open_mode(long files) {
    long batches = files / FIRST_BATCH;
    double *times = malloc(batches * sizeof *times), sum = 0;
    for (long b = 0; b < batches; b++) {
        int64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
        for (long i = b * FIRST_BATCH; i < (b + 1) * FIRST_BATCH; i++)
            close(open_numbered(i));
        times[b] = (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / FIRST_BATCH;
        sum += times[b];
    }
    sort(times, batches);
    printf("first open+close, median\t%.2f\n", times[batches / 2]);
    printf("first open+close, mean\t%.2f\n", sum / batches);
    free(times);
}

// Says where it is and waits to be looked at.
static void pause_at(const char *stage) {
    char answer;
    dprintf(STDOUT_FILENO, "%s\n", stage);
    check(read(STDIN_FILENO, &answer, 1) == 1, "nobody looks");
}

// Every file gets writes of 8 sizes with 8 different gaps.
void memory_mode(long files) {
    static char buffer[4096];
    pause_at("start");
    make_folder();
    for (long i = 0; i < files; i++) {
        int fd = open_numbered(i);
        long offset = 0;
        for (long s = 1; s <= SIZES; s++) {
            check(pwrite(fd, buffer, s, offset) == s, "pwrite");
            offset += 17 * s;
        }
        close(fd);
        if (i == 0)
            pause_at("one file");
    }
    pause_at("all files");
}

void one_file_mode(void) {
    int fd = open_in(tracked_dir, "one");
    check(write(fd, "one line\n", 9) == 9, "write");
    close(fd);
}
