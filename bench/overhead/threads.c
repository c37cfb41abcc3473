// Several threads at once, each on its own file or all on one. The lower quartile of the batches
// counts: the cheapest is the one in which the other threads happened to sleep.
#include "driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { BATCH = 1024, BATCHES = 60, MOST = 4096, SPAN = 1 << 20 };

struct work {
    int fd, writes;
    double time;
    pthread_t thread;
};

static pthread_barrier_t start;
static atomic_long unfinished;

static double batch(const struct work *work) {
    char buffer[64] = {0};
    int64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    for (long i = 0; i < BATCH; i++) {
        ssize_t size = work->writes ? pwrite(work->fd, buffer, sizeof buffer, i * 64 % SPAN)
                                    : pread(work->fd, buffer, sizeof buffer, i * 64 % SPAN);
        check(size == sizeof buffer, "threads");
    }
    return (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / BATCH;
}

// Goes on until the last thread has its batches, so that nobody measures alone.
static void *run(void *argument) {
    struct work *work = argument;
    double *times = malloc(MOST * sizeof *times);
    long done = 0;
    pthread_barrier_wait(&start);
    while (done < BATCHES || (unfinished > 0 && done < MOST)) {
        times[done++] = batch(work);
        if (done == BATCHES)
            unfinished--;
    }
    sort(times, done);
    work->time = times[done / 4];
    free(times);
    return NULL;
}

static void measure(long threads, int writes, int shared) {
    struct work work[threads];
    char buffer[SPAN / 16] = {0};
    pthread_barrier_init(&start, NULL, threads);
    unfinished = threads;
    for (long t = 0; t < threads; t++) {
        char name[32];
        snprintf(name, sizeof name, "thread-%ld", shared ? 0 : t);
        work[t].fd = open_in(tracked_dir, name);
        work[t].writes = writes;
        check(pwrite(work[t].fd, buffer, sizeof buffer, 0) == sizeof buffer, name);
    }
    for (long t = 0; t < threads; t++)
        check(!pthread_create(&work[t].thread, NULL, run, &work[t]), "pthread_create");
    double sum = 0;
    for (long t = 0; t < threads; t++) {
        pthread_join(work[t].thread, NULL);
        close(work[t].fd);
        sum += work[t].time;
    }
    pthread_barrier_destroy(&start);
    printf("%ld threads, %s, %s\t%.2f\n", threads, writes ? "pwrite" : "pread",
           shared ? "one file" : "own files", sum / threads);
}

void threads_mode(long threads) {
    for (int shared = 0; shared < 2; shared++)
        for (int writes = 0; writes < 2; writes++)
            measure(threads, !writes, shared);
}
