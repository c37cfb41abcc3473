// What the programs share. Each works in the directory that it is given.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks;
__attribute__((unused)) static char buf[1 << 20];

#define ok(call)                                                                                   \
    do {                                                                                           \
        if ((call) != MPI_SUCCESS) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #call);                             \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

static inline void go(char **argv) {
    if (chdir(argv[1])) {
        perror(argv[1]);
        exit(1);
    }
}

static inline void begin(int argc, char **argv) {
    go(argv);
    ok(MPI_Init(&argc, &argv));
    ok(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    ok(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
}

static inline MPI_File open_by(MPI_Comm comm, const char *name, int mode) {
    MPI_File file;
    ok(MPI_File_open(comm, name, mode, MPI_INFO_NULL, &file));
    return file;
}

static inline MPI_File create(const char *name) {
    return open_by(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR);
}

#define none MPI_STATUS_IGNORE
