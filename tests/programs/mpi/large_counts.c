// Counts of 64 bits.
// only: mpich
// expect: MPIIO data: COLL_OPENS N, INDEP_WRITES N, COLL_WRITES N, NB_WRITES N, SPLIT_WRITES N, INDEP_READS N,
//     RW_SWITCHES N, MODE 9; w 100 x4N, r 100 xN
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_File file = create("data");
    MPI_Count count = 100;
    MPI_Request request;
    ok(MPI_File_write_at_c(file, 100 * rank, buf, count, MPI_BYTE, none));
    ok(MPI_File_write_at_all_c(file, 100 * rank, buf, count, MPI_BYTE, none));
    ok(MPI_File_iwrite_at_c(file, 100 * rank, buf, count, MPI_BYTE, &request));
    ok(MPI_Wait(&request, none));
    ok(MPI_File_write_at_all_begin_c(file, 100 * rank, buf, count, MPI_BYTE));
    ok(MPI_File_write_at_all_end(file, buf, none));
    ok(MPI_File_read_at_c(file, 100 * rank, buf, count, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
