// Every rank writes to a file of its own and ends MPI, but one is killed so many microseconds after all
// have begun: before, while or after MPI ends. Each write is a visit of a region. Run by
// `ioglass-bench-killed`.
#include <ioglass.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: driver DIRECTORY WRITES RANK MICROSECONDS\n");
        return 2;
    }
    IOGLASS_REGION("main");
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char path[4096], buffer[100] = {0};
    snprintf(path, sizeof path, "%s/own.%d", argv[1], rank);
    MPI_File file;
    if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    long moment = atol(argv[4]);
    struct itimerval when = {.it_value = {moment / 1000000, moment % 1000000}};
    // Nobody catches this signal.
    if (rank == atoi(argv[3]))
        setitimer(ITIMER_REAL, &when, NULL);
    for (int i = 0; i < atoi(argv[2]); i++) {
        IOGLASS_ITERATION("step");
        IOGLASS_REGION("write");
        MPI_File_write(file, buffer, sizeof buffer, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
}
