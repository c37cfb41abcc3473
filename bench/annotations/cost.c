/* What annotations cost in C and C++. Each line that it prints is a name, nanoseconds of CPU time
 * for one pair of enter and leave (or call), less those of an empty loop, the ratio to the pair of
 * the line `flat`, and what it takes more than the line before. Batches of all lines take turns; the
 * lower quartile of the rounds counts, and the median of ratios and differences within a round. Run
 * by `ioglass-bench-regions`.
 *
 *     cost [FILE]              the table; FILE is written to
 *     cost iterations NUMBER   visits of one iteration; prints the KiB of memory that they took
 *     cost names NUMBER        regions with names of their own; the same
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <ioglass.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 60, CALLS = 20000, FEW = 2000, DEPTH = 5, SIBLINGS = 100, MANY = 10000 };

#define KEEP __asm__ volatile("" ::: "memory")

static uint64_t ticks(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_nsec;
#endif
}

static void empty(int calls) {
    for (int i = 0; i < calls; i++) KEEP;
}
static void two_clock_reads(int calls) {
    for (int i = 0; i < calls; i++) {
        (void)ticks();
        KEEP;
        (void)ticks();
        KEEP;
    }
}
static void flat(int calls) {
    for (int i = 0; i < calls; i++) {
        IOGLASS_ENTER("flat");
        KEEP;
        IOGLASS_LEAVE("flat");
    }
}
static void guard(int calls) {
    for (int i = 0; i < calls; i++) {
        IOGLASS_REGION("guard");
        KEEP;
    }
}
static void deep(int calls) {
    for (int i = 0; i < calls / DEPTH; i++) {
        IOGLASS_ENTER("one");
        IOGLASS_ENTER("two");
        IOGLASS_ENTER("three");
        IOGLASS_ENTER("four");
        IOGLASS_ENTER("five");
        KEEP;
        IOGLASS_LEAVE("five");
        IOGLASS_LEAVE("four");
        IOGLASS_LEAVE("three");
        IOGLASS_LEAVE("two");
        IOGLASS_LEAVE("one");
    }
}

static ioglass_site sites[MANY];
static char names[MANY][16];

static void in_turn(int calls, int count, const char *parent) {
    ioglass_enter(parent);
    for (int i = 0; i < calls; i++) {
        ioglass_site *site = &sites[i % count];
        ioglass_enter_site(site);
        KEEP;
        ioglass_leave_site(site);
    }
    ioglass_leave(parent);
}
static void siblings(int calls) { in_turn(calls, SIBLINGS, "some"); }
static void many_siblings(int calls) { in_turn(calls, MANY, "many"); }

static void run_time_name(int calls) {
    char name[17] = "sixteen letters!";
    for (int i = 0; i < calls; i++) {
        ioglass_enter(name);
        KEEP;
        ioglass_leave(name);
    }
}
static void iteration(int calls) {
    for (int i = 0; i < calls; i++) {
        IOGLASS_ENTER_ITERATION("iteration");
        KEEP;
        IOGLASS_LEAVE("iteration");
    }
}
static void iteration_with_metrics(int calls) {
    for (int i = 0; i < calls; i++) {
        IOGLASS_ENTER_ITERATION("with metrics");
        ioglass_count("cells", 1);
        ioglass_value("residual [m/s]", 0.5);
        IOGLASS_LEAVE("with metrics");
    }
}

static int file = -1;
static char buffer[64];

static void writes(int calls) {
    for (int i = 0; i < calls; i++)
        if (pwrite(file, buffer, sizeof buffer, 0) != sizeof buffer) abort();
}
static void write_outside(int calls) {
    IOGLASS_LEAVE("main");
    writes(calls);
    IOGLASS_ENTER("main");
}
static void write_inside(int calls) {
    IOGLASS_ENTER("writes");
    writes(calls);
    IOGLASS_LEAVE("writes");
}

static double cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds of one of these calls. */
static double each(void (*function)(int), int calls) {
    function(calls / 4);
    double begin = cpu();
    function(calls);
    return (cpu() - begin) / calls;
}

static double in_thread[2];
static void (*of_thread)(int);
static pthread_barrier_t barrier;

static void *one_of_two(void *place) {
    pthread_barrier_wait(&barrier);
    *(double *)place = each(of_thread, CALLS);
    return NULL;
}

/* The same in two threads at once: the slower one. */
static double two_threads(void (*function)(int)) {
    pthread_t threads[2];
    of_thread = function;
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, one_of_two, &in_thread[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return in_thread[0] > in_thread[1] ? in_thread[0] : in_thread[1];
}

struct line {
    const char *name;
    void (*function)(int);
    int calls, threads;
    double rounds[ROUNDS];
};

static struct line lines[] = {
    {"empty", empty, CALLS, 1, {0}},
    {"two clock reads", two_clock_reads, CALLS, 1, {0}},
    {"flat", flat, CALLS, 1, {0}},
    {"guard", guard, CALLS, 1, {0}},
    {"depth 5", deep, CALLS, 1, {0}},
    {"100 siblings", siblings, CALLS, 1, {0}},
    {"10000 siblings", many_siblings, CALLS, 1, {0}},
    {"run-time name", run_time_name, CALLS, 1, {0}},
    {"iteration", iteration, CALLS, 1, {0}},
    {"with metrics", iteration_with_metrics, CALLS, 1, {0}},
    {"two threads", flat, CALLS, 2, {0}},
    {"clock in two threads", two_clock_reads, CALLS, 2, {0}},
    {"write outside", write_outside, FEW, 1, {0}},
    {"write inside", write_inside, FEW, 1, {0}},
};
enum { LINES = sizeof lines / sizeof *lines };

static int compare(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

/* The value at this share of the sorted list. */
static double at(const double *list, double share) {
    double sorted[ROUNDS];
    memcpy(sorted, list, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, compare);
    return sorted[(int)(share * (ROUNDS - 1))];
}

static void table(void) {
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < LINES; i++) {
            if (file < 0 && !strncmp(lines[i].name, "write", 5)) continue;
            lines[i].rounds[round] =
                lines[i].threads == 1 ? each(lines[i].function, lines[i].calls)
                                      : two_threads(lines[i].function);
        }
    for (int i = 0; i < LINES; i++) {
        double own[ROUNDS], ratio[ROUNDS], more[ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            own[round] = lines[i].rounds[round] - (i ? lines[0].rounds[round] : 0);
            ratio[round] = own[round] / (lines[2].rounds[round] - lines[0].rounds[round]);
            more[round] = lines[i].rounds[round] - (i ? lines[i - 1].rounds[round] : 0);
        }
        printf("%s\t%.3f\t%.4f\t%.3f\n", lines[i].name, at(own, 0.25), at(ratio, 0.5), at(more, 0.5));
    }
}

/* KiB of resident memory, mapped files included. */
static long resident(void) {
    char text[4096];
    int status = open("/proc/self/status", O_RDONLY);
    ssize_t size = read(status, text, sizeof text - 1);
    close(status);
    text[size > 0 ? size : 0] = 0;
    const char *line = strstr(text, "VmRSS:");
    return line ? atol(line + 6) : 0;
}

int main(int count, char **words) {
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "sibling %d", i);
        sites[i].name = names[i];
        sites[i].size = (uint32_t)strlen(names[i]);
    }
    /* The first region begins executions; the one that is left and entered again is another. */
    IOGLASS_ENTER("first");
    IOGLASS_LEAVE("first");
    IOGLASS_ENTER("main");
    long number = count > 2 ? atol(words[2]) : 0;
    long before = resident();
    if (count > 2 && !strcmp(words[1], "iterations")) {
        for (long i = 0; i < number; i++) {
            IOGLASS_ENTER_ITERATION("step");
            IOGLASS_LEAVE("step");
        }
        printf("memory\t%ld\n", resident() - before);
    } else if (count > 2 && !strcmp(words[1], "names")) {
        for (long i = 0; i < number; i++) {
            char name[32];
            snprintf(name, sizeof name, "region %ld", i);
            ioglass_enter(name);
            ioglass_leave(name);
        }
        printf("memory\t%ld\n", resident() - before);
    } else {
        pthread_barrier_init(&barrier, NULL, 2);
        if (count > 1) file = open(words[1], O_CREAT | O_RDWR, 0600);
        table();
    }
    IOGLASS_LEAVE("main");
    return 0;
}
