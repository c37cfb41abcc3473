// Two ranks write their halves of a file, 64 bytes at a time.
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int fd = open("field.dat", O_WRONLY | O_CREAT, 0644);
    need(fd >= 0, "field.dat");
    char cell[64];
    long cells = scaled(262144);
    for (long i = 0; i < cells; i++) {
        memset(cell, 'a' + (rank + i) % 26, sizeof cell);
        off_t at = (rank * cells + i) * (off_t)sizeof cell;
        need(pwrite(fd, cell, sizeof cell, at) == sizeof cell, "pwrite");
    }
    close(fd);
    MPI_Finalize();
    return 0;
}
