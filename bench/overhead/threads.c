// Several threads at once, each on its own file or all on one.
#include "driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 512, SPAN = 1 << 20, ROWS = 4 };

static const char *const rows[ROWS] = {
    "pwrite, own files",
    "pread, own files",
    "pwrite, one file",
    "pread, one file",
};

struct worker {
    int own, shared;
    double time;
};

static long threads;
static struct worker *workers;
static pthread_barrier_t begin, end;
static int row;
static atomic_long unfinished;

static void make(int fd, int writes) {
    static __thread char buffer[64];
    for (long i = 0; i < BATCH; i++) {
        ssize_t size = writes ? pwrite(fd, buffer, sizeof buffer, i * 64 % SPAN)
                              : pread(fd, buffer, sizeof buffer, i * 64 % SPAN);
        check(size == sizeof buffer, "threads");
    }
}

// Goes on until the last thread has measured, so that nobody measures alone.
static void *work(void *argument) {
    struct worker *worker = argument;
    for (;;) {
        pthread_barrier_wait(&begin);
        int fd = row < 2 ? worker->own : worker->shared, writes = row % 2 == 0;
        make(fd, writes);
        int64_t start = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
        make(fd, writes);
        worker->time = (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start) / BATCH;
        for (unfinished--; unfinished > 0;)
            make(fd, writes);
        pthread_barrier_wait(&end);
    }
    return NULL;
}

static double batch(int wanted) {
    row = wanted;
    unfinished = threads;
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&end);
    double sum = 0;
    for (long t = 0; t < threads; t++)
        sum += workers[t].time;
    return sum / threads;
}

static int open_filled(long number) {
    static char buffer[BATCH * 64];
    char name[32];
    snprintf(name, sizeof name, "thread-%ld", number);
    int fd = open_in(tracked_dir, name);
    check(pwrite(fd, buffer, sizeof buffer, 0) == sizeof buffer, name);
    return fd;
}

void threads_mode(long count) {
    threads = count;
    workers = calloc(count, sizeof *workers);
    pthread_barrier_init(&begin, NULL, count + 1);
    pthread_barrier_init(&end, NULL, count + 1);
    for (long t = 0; t < count; t++) {
        workers[t].own = open_filled(t);
        workers[t].shared = open_filled(count);
        pthread_t thread;
        check(!pthread_create(&thread, NULL, work, &workers[t]), "pthread_create");
    }
    serve(rows, ROWS, batch);
}
