/* Ranks that ask for their profile. The first word says how, the second where it must be then. */
#include "../../../crates/region/include/ioglass.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *way = "";
static const char *profile;

static int is(const char *name) { return !strcmp(way, name); }

static void *flush_in_thread(void *result) {
    IOGLASS_REGION("worker");
    *(int *)result = ioglass_flush();
    return NULL;
}

static void flush(int rank) {
    int result = 0;
    if (is("thread") || is("multiple")) {
        pthread_t thread;
        pthread_create(&thread, NULL, flush_in_thread, &result);
        pthread_join(thread, NULL);
    } else {
        result = ioglass_flush();
    }
    int is_there = !profile || !access(profile, F_OK);
    printf("%d: %d%s\n", rank, result, is_there ? "" : " and nothing there");
    fflush(stdout);
}

int main(int count, char **words) {
    if (count > 1) {
        way = words[1];
    }
    if (count > 2) {
        profile = words[2];
    }
    int level, rank;
    MPI_Init_thread(&count, &words, is("multiple") ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED,
                    &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    /* A rank without annotations. */
    if (is("absent") && rank == 1) {
        MPI_Finalize();
        return 0;
    }
    IOGLASS_ENTER("main");
    for (int i = 0; i < 2 + rank; i++) {
        IOGLASS_ITERATION("step");
        usleep(1000);
    }
    /* Rank 1 ends MPI at once, or stays away until the others have given up. */
    if (!is("absent") && !(rank == 1 && (is("missing") || is("ends")))) {
        flush(rank);
    }
    if (is("missing")) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (is("twice") || is("killed")) {
        IOGLASS_ENTER("second");
        IOGLASS_LEAVE("second");
        flush(rank);
    }
    if (is("killed")) {
        MPI_Barrier(MPI_COMM_WORLD);
        raise(SIGKILL);
    }
    IOGLASS_LEAVE("main");
    MPI_Finalize();
}
