// In two calls, of which the first counts.
// expect: MPIIO data: COLL_OPENS N, SPLIT_WRITES 3N, SPLIT_READS 3N, RW_SWITCHES N, MODE 9;
//     w 300 x2N, w 40 xN, r 300 x2N, r 4 xN
// trace: data @R: w 300R 300, w 300N+300R 300, w -1 40, r 300R 300, r 300N+300R 300, r -1 4
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_File file = create("data");
    ok(MPI_File_seek(file, 300 * rank, MPI_SEEK_SET));
    ok(MPI_File_write_all_begin(file, buf, 300, MPI_BYTE));
    ok(MPI_File_write_all_end(file, buf, none));
    ok(MPI_File_write_at_all_begin(file, 300 * (ranks + rank), buf, 75, MPI_INT));
    ok(MPI_File_write_at_all_end(file, buf, none));
    ok(MPI_File_seek_shared(file, 600 * ranks, MPI_SEEK_SET));
    ok(MPI_File_write_ordered_begin(file, buf, 5, MPI_DOUBLE));
    ok(MPI_File_write_ordered_end(file, buf, none));
    ok(MPI_File_seek(file, 300 * rank, MPI_SEEK_SET));
    ok(MPI_File_read_all_begin(file, buf, 300, MPI_BYTE));
    ok(MPI_File_read_all_end(file, buf, none));
    ok(MPI_File_read_at_all_begin(file, 300 * (ranks + rank), buf, 300, MPI_BYTE));
    ok(MPI_File_read_at_all_end(file, buf, none));
    ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    ok(MPI_File_read_ordered_begin(file, buf, 1, MPI_INT));
    ok(MPI_File_read_ordered_end(file, buf, none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
