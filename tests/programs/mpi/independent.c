// Each rank for itself: at its own pointer, at an offset, at the shared pointer.
// expect: MPIIO data: COLL_OPENS N, INDEP_WRITES 6N, INDEP_READS 4N, SYNCS N, RW_SWITCHES N, MODE 9;
//     w 1000 x3N, w 8 x2N, w 50 xN, r 1000 x3N, r 20 xN
// expect: POSIX data: BYTES_WRITTEN 3066N, BYTES_READ 3020N
// trace: data @R: w 3000R 1000, w 3000R+1000 1000, w 3000R+2000 1000, w 3000N+16R 8, w 3000N+16R+8 8,
//     w -1 50, r 3000R 1000, r 3000R+1000 1000, r 3000R+2000 1000, r -1 20
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_File file = create("data");
    ok(MPI_File_seek(file, 3000 * rank, MPI_SEEK_SET));
    for (int i = 0; i < 3; i++)
        ok(MPI_File_write(file, buf, 1000, MPI_BYTE, none));
    for (int i = 0; i < 2; i++)
        ok(MPI_File_write_at(file, 3000 * ranks + 16 * rank + 8 * i, buf, 1, MPI_DOUBLE, none));
    ok(MPI_Barrier(MPI_COMM_WORLD));
    ok(MPI_File_seek_shared(file, 4000 * ranks, MPI_SEEK_SET));
    ok(MPI_File_write_shared(file, buf, 50, MPI_CHAR, none));
    ok(MPI_File_sync(file));
    ok(MPI_Barrier(MPI_COMM_WORLD));
    ok(MPI_File_seek(file, 3000 * rank, MPI_SEEK_SET));
    ok(MPI_File_read(file, buf, 1000, MPI_BYTE, none));
    ok(MPI_File_read_at(file, 3000 * rank + 1000, buf, 500, MPI_SHORT, none));
    ok(MPI_File_read_at(file, 3000 * rank + 2000, buf, 125, MPI_DOUBLE, none));
    ok(MPI_File_seek_shared(file, 4000 * ranks, MPI_SEEK_SET));
    ok(MPI_File_read_shared(file, buf, 20, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
