// Every rank writes 10 times 100 bytes to `data` through MPI-IO and 20 bytes to `own.RANK`, and goes through
// MPI in the way that is asked for.
#include "../common.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static const char *how;

static int is(const char *way) { return !strcmp(how, way); }

static void put(const char *name, int size) {
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    if (fd < 0 || write(fd, buf, size) != size || close(fd))
        exit(1);
}

static void put_own(const char *name, int size) {
    char path[64];
    snprintf(path, sizeof path, "%s.%d", name, rank);
    put(path, size);
}

// Writes as long as the others are at the end of MPI.
static atomic_int ended;
static long writes[2];
static void *write_on(void *number) {
    char path[64];
    snprintf(path, sizeof path, "busy.%d.%d", rank, (int)(long)number);
    int fd = open(path, O_CREAT | O_WRONLY, 0644);
    while (!ended || writes[(long)number] < 1000)
        writes[(long)number] += write(fd, buf, 10) == 10;
    close(fd);
    return NULL;
}

// Makes communicators and begins operations of all ranks, which come in the same order in each of them.
static void collect(void) {
    MPI_Comm half, copy;
    MPI_Request request;
    int sum;
    ok(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    ok(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    ok(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    ok(MPI_Wait(&request, none));
    ok(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy, &request));
    ok(MPI_Wait(&request, none));
    if (sum != ranks * (ranks - 1) / 2)
        MPI_Abort(MPI_COMM_WORLD, 4);
    ok(MPI_Comm_free(&half));
    ok(MPI_Comm_free(&copy));
}

// Leaves it to the end of MPI that a long message arrives, without which another rank does not come there.
static char owed[4 << 20];
static void owe(void) {
    MPI_Request request;
    if (rank == 0) {
        ok(MPI_Isend(owed, sizeof owed, MPI_BYTE, 1, 9, MPI_COMM_WORLD, &request));
        ok(MPI_Request_free(&request));
    }
    if (rank == 1) {
        // The others are at the end of MPI by then.
        sleep(1);
        ok(MPI_Recv(owed, sizeof owed, MPI_BYTE, 0, 9, MPI_COMM_WORLD, none));
    }
}

static void end_of_mpi(void) { ok(MPI_Finalize()); }

int main(int argc, char **argv) {
    pthread_t threads[2];
    how = argv[2];
    go(argv);
    if (is("early"))
        put("early", 7);
    int level;
    if (is("threads"))
        ok(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level));
    else
        ok(MPI_Init(&argc, &argv));
    ok(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    ok(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
    if (is("collective"))
        collect();
    MPI_File file = create("data");
    for (int i = 0; i < 10; i++)
        ok(MPI_File_write_at(file, 100 * (10 * rank + i), buf, 100, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    put_own("own", 20);
    printf("rank %d\n", rank);
    fflush(stdout);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    if (is("killed") && rank == 1)
        raise(SIGKILL);
    if (is("aborted") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (is("killed") || is("aborted"))
        sleep(20);
    if (is("left"))
        _exit(0);
    if (is("slow") && rank == 1)
        sleep(3);
    if (is("slower") && rank == 1)
        sleep(4);
    if (is("owed"))
        owe();
    if (is("threads"))
        for (long i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, write_on, (void *)i);
    if (is("atexit")) {
        atexit(end_of_mpi);
        return 0;
    }
    if (is("late"))
        put("both", 10);
    end_of_mpi();
    if (is("threads")) {
        ended = 1;
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
    if (is("late") || is("late and killed"))
        put_own("late", 50);
    if (is("late"))
        put("both", 10);
    if (is("late and killed") && rank == 0) {
        // The others are gone by then.
        sleep(1);
        raise(SIGKILL);
    }
    return 0;
}
