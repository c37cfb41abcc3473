// What tells ROMIO which file system to use is no part of a name.
// only: mpich
// expect: MPIIO data: COLL_OPENS N, INDEP_WRITES N, MODE 5; w 10 xN
// expect: POSIX data: BYTES_WRITTEN 10N
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    MPI_File file = open_by(MPI_COMM_WORLD, "ufs:data", mode);
    ok(MPI_File_write_at(file, 10 * rank, buf, 10, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
