// Open MPI knows no prefixes: a colon is part of a name.
// only: openmpi
// expect: MPIIO run:7: COLL_OPENS N, INDEP_WRITES N, MODE 5; w 10 xN
// expect: POSIX run:7: BYTES_WRITTEN 10N
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_File file = open_by(MPI_COMM_WORLD, "run:7", MPI_MODE_CREATE | MPI_MODE_WRONLY);
    ok(MPI_File_write_at(file, 10 * rank, buf, 10, MPI_BYTE, none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
