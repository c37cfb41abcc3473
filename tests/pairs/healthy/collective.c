// All ranks write their parts of a file together, some MiB at a time.
#include <mpi.h>
#include <string.h>
#include "common.h"

enum { PIECE = 4 << 20 };
static char piece[PIECE];

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    int failed = MPI_File_open(MPI_COMM_WORLD, "field.dat", mode, MPI_INFO_NULL, &file);
    need(!failed, "field.dat");
    for (long i = 0, end = scaled(10); i < end; i++) {
        memset(piece, 'a' + (rank + i) % 26, PIECE);
        MPI_Offset at = (MPI_Offset)(i * ranks + rank) * PIECE;
        MPI_File_write_at_all(file, at, piece, PIECE, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
