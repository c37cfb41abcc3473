// All ranks together: at their own pointers, at offsets, one behind the other.
// expect: MPIIO data: COLL_OPENS 2N, COLL_WRITES 3N, COLL_READS 3N, RW_SWITCHES N, MODE 2;
//     w 4096 x2N, w 100 xN, r 4096 xN, r 512 xN, r 10 xN
// expect: POSIX data: BYTES_WRITTEN 8292N
// trace: data @R: w 4096R 4096, w 4096N+4096R 4096, w -1 100, r 4096R 4096, r 512R 512, r -1 10
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_File file = create("data");
    ok(MPI_File_seek(file, 4096 * rank, MPI_SEEK_SET));
    ok(MPI_File_write_all(file, buf, 1024, MPI_INT, none));
    ok(MPI_File_write_at_all(file, 4096 * (ranks + rank), buf, 4096, MPI_BYTE, none));
    ok(MPI_File_seek_shared(file, 8192 * ranks, MPI_SEEK_SET));
    ok(MPI_File_write_ordered(file, buf, 100, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    file = open_by(MPI_COMM_WORLD, "data", MPI_MODE_RDONLY);
    ok(MPI_File_seek(file, 4096 * rank, MPI_SEEK_SET));
    ok(MPI_File_read_all(file, buf, 4096, MPI_BYTE, none));
    ok(MPI_File_read_at_all(file, 512 * rank, buf, 512, MPI_BYTE, none));
    ok(MPI_File_read_ordered(file, buf, 10, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
