// Two ranks write their halves of a file, a mebibyte at a time.
#include <fcntl.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

enum { CELL = 64, ROOM = 1 << 20 };
static char gathered[ROOM];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int fd = open("field.dat", O_WRONLY | O_CREAT, 0644);
    need(fd >= 0, "field.dat");
    long cells = scaled(262144);
    off_t at = rank * cells * (off_t)CELL;
    ssize_t filled = 0;
    for (long i = 0; i < cells; i++) {
        memset(gathered + filled, 'a' + (rank + i) % 26, CELL);
        filled += CELL;
        if (filled == ROOM || i + 1 == cells) {
            need(pwrite(fd, gathered, filled, at) == filled, "pwrite");
            at += filled;
            filled = 0;
        }
    }
    close(fd);
    MPI_Finalize();
    return 0;
}
