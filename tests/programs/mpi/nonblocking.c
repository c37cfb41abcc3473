// Without waiting: what is asked for counts when it is asked for.
// expect: MPIIO data: COLL_OPENS N, NB_WRITES 5N, NB_READS 5N, RW_SWITCHES N, MODE 9;
//     w 200 x4N, w 60 xN, r 200 x4N, r 6 xN
// trace: data @R: w 800R 200, w 800R+200 200, w -1 60, w 800R+400 200, w 800R+600 200,
//     r 800R 200, r 800R+200 200, r -1 6, r 800R+400 200, r 800R+600 200
#include "common.h"

static void done(MPI_Request request) { ok(MPI_Wait(&request, none)); }

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_File file = create("data");
    MPI_Request request;
    MPI_Offset start = 800 * rank;
    ok(MPI_File_seek(file, start, MPI_SEEK_SET));
    ok(MPI_File_iwrite(file, buf, 200, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_iwrite_at(file, start + 200, buf, 50, MPI_INT, &request));
    done(request);
    ok(MPI_File_seek_shared(file, 800 * ranks, MPI_SEEK_SET));
    ok(MPI_File_iwrite_shared(file, buf, 60, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_seek(file, start + 400, MPI_SEEK_SET));
    ok(MPI_File_iwrite_all(file, buf, 200, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_iwrite_at_all(file, start + 600, buf, 25, MPI_DOUBLE, &request));
    done(request);
    ok(MPI_File_seek(file, start, MPI_SEEK_SET));
    ok(MPI_File_iread(file, buf, 200, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_iread_at(file, start + 200, buf, 200, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    ok(MPI_File_iread_shared(file, buf, 6, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_seek(file, start + 400, MPI_SEEK_SET));
    ok(MPI_File_iread_all(file, buf, 200, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_iread_at_all(file, start + 600, buf, 200, MPI_BYTE, &request));
    done(request);
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
