// Views and hints: bytes without gaps are counted, offsets are those in the file. An empty view, too.
// expect: MPIIO data: COLL_OPENS N, COLL_WRITES 2N, INDEP_WRITES N, VIEWS 3N, HINTS 2N, MODE 5;
//     w 80 xN, w 40 xN, w 0 xN
// trace: data @R: w 1000+8R 80, w 1000+8R+80N 40, w -1 0
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_Info info;
    ok(MPI_Info_create(&info));
    ok(MPI_Info_set(info, "cb_nodes", "1"));
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    ok(MPI_File_open(MPI_COMM_WORLD, "data", mode, info, &file));

    // Every rank has one of as many columns as there are ranks.
    MPI_Datatype column, gaps, nothing;
    ok(MPI_Type_create_resized(MPI_DOUBLE, 0, 8 * ranks, &column));
    ok(MPI_Type_commit(&column));
    ok(MPI_File_set_view(file, 1000 + 8 * rank, MPI_DOUBLE, column, "native", info));
    ok(MPI_File_write_all(file, buf, 10, MPI_DOUBLE, none));
    // In memory there are gaps as well.
    ok(MPI_Type_vector(5, 1, 2, MPI_DOUBLE, &gaps));
    ok(MPI_Type_commit(&gaps));
    ok(MPI_File_write_at_all(file, 10, buf, 1, gaps, none));

    ok(MPI_Type_contiguous(0, MPI_BYTE, &nothing));
    ok(MPI_Type_commit(&nothing));
    ok(MPI_File_set_view(file, 0, MPI_BYTE, nothing, "native", MPI_INFO_NULL));
    ok(MPI_File_write_at(file, 0, buf, 0, MPI_BYTE, none));
    ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
