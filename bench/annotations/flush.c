/* What it takes ranks to write their profile. Every rank has 101 paths, two of them with names of its
 * own, and an iteration of 1,000 passes. Run by `ioglass-bench-regions`.
 *
 *     flush FOLDER ROUNDS     rounds of a flush, and of the least that ranks could do instead
 *     flush compute SECONDS   the same paths, in passes of about a millisecond
 *
 * The least is a reduction of 64 bytes, a gather of 6 KB per rank, and one write of a new file. The
 * two take turns in each round. The first rank prints a line for each: its name, the number of the
 * round, wall ms of the slowest rank, CPU ms of all ranks, CPU ms of the first rank, and wall ms of
 * the slowest rank in the reduction. CPU time is that of the whole process.
 *
 * With CALIPER defined Caliper has the same paths and is flushed. If it is built without MPI, each
 * rank writes a file of its own.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef CALIPER
#include <caliper/cali-manager.h>
#include <caliper/cali.h>
#define TOOL "caliper"
#define enter(name) cali_begin_region(name)
#define leave(name) cali_end_region(name)
#define enter_pass(name) cali_begin_region(name)
static cali_ConfigManager manager;
static int flush(void) {
    cali_ConfigManager_flush(&manager);
    return 0;
}
#else
#include <ioglass.h>
#define TOOL "ioglass"
#define enter(name) ioglass_enter(name)
#define leave(name) ioglass_leave(name)
#define enter_pass(name) ioglass_enter_iteration(name)
static int flush(void) { return ioglass_flush(); }
#endif

enum { ONCE = 47, OWN = 2, PHASES = 50, PASSES = 1000, NAME = 24, PART = 6 * 1024 };

static int rank, ranks;
static char once[ONCE][NAME], own[OWN][NAME], phases[PHASES][NAME];
static char part[PART], *parts;
static volatile double sink;

struct cost {
    double wall, cpu, meeting;
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static double cpu(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3
           + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void visit(const char *name, int work) {
    enter(name);
    for (int i = 0; i < work; i++) sink = sink + i;
    leave(name);
}

static void pass(int work) {
    enter_pass("step");
    for (int i = 0; i < PHASES; i++) visit(phases[i], work);
    leave("step");
}

static void name_all(void) {
    for (int i = 0; i < ONCE; i++) snprintf(once[i], NAME, "part %d", i);
    for (int i = 0; i < OWN; i++) snprintf(own[i], NAME, "rank %d part %d", rank, i);
    for (int i = 0; i < PHASES; i++) snprintf(phases[i], NAME, "phase %d", i);
}

static void visit_once(void) {
    for (int i = 0; i < ONCE; i++) visit(once[i], 100);
    for (int i = 0; i < OWN; i++) visit(own[i], 100);
}

/* Stops all ranks: `what` went wrong. */
static void fail(const char *what) {
    fprintf(stderr, "rank %d: %s\n", rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void floor_of_ranks(const char *folder, int round, struct cost *cost) {
    double begin = now();
    char word[64] = {0}, all[64];
    MPI_Allreduce(word, all, sizeof word, MPI_CHAR, MPI_BOR, MPI_COMM_WORLD);
    cost->meeting = now() - begin;
    MPI_Gather(part, PART, MPI_CHAR, parts, PART, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank > 0) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/floor.%d", folder, round);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    ssize_t size = (ssize_t)PART * ranks;
    if (fd < 0 || write(fd, parts, (size_t)size) != size || close(fd)) fail("no file");
}

/* Measures one of the two, and prints what it took. */
static void measure(const char *folder, int round, int is_floor) {
    struct cost cost = {0, 0, 0};
    MPI_Barrier(MPI_COMM_WORLD);
    double wall = now(), used = cpu();
    if (is_floor)
        floor_of_ranks(folder, round, &cost);
    else if (flush() != 0)
        fail("no profile");
    cost.cpu = cpu() - used;
    cost.wall = now() - wall;
    double most[2] = {0, 0}, all = 0, own_most[2] = {cost.wall, cost.meeting};
    MPI_Reduce(own_most, most, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&cost.cpu, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\n", is_floor ? "floor" : TOOL, round, most[0], all,
               cost.cpu, most[1]);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    name_all();
    parts = malloc((size_t)PART * (size_t)ranks);
    if (!parts) fail("no memory");
    memset(parts, 1, (size_t)PART * (size_t)ranks);
#ifdef CALIPER
    char config[8192];
#ifdef CALIPER_HAVE_MPI
    snprintf(config, sizeof config, "hatchet-region-profile(output=%s/caliper.json)", words[1]);
#else
    snprintf(config, sizeof config, "hatchet-region-profile(output=%s/caliper-%d.json)", words[1],
             rank);
#endif
    cali_ConfigManager_new(&manager);
    cali_ConfigManager_add(&manager, config);
    if (cali_ConfigManager_error(&manager)) fail("Caliper does not know the configuration");
    cali_ConfigManager_start(&manager);
#endif
    enter("main");
    visit_once();
    if (strcmp(words[1], "compute") == 0) {
        double end = now() + atof(words[2]) * 1e3;
        while (now() < end) pass(10000);
    } else {
        int rounds = atoi(words[2]);
        /* Ranks have unequal work. */
        for (int i = 0; i < PASSES; i++) pass(rank % 4);
        for (int round = 0; round < rounds; round++) {
            measure(words[1], round, round % 2);
            measure(words[1], round, 1 - round % 2);
        }
    }
    leave("main");
    MPI_Finalize();
    return 0;
}
