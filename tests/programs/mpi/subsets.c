// Files of all ranks have one record, of some of them or of one alone one for each.
// expect: MPIIO all: COLL_OPENS N, MODE 5, INDEP_WRITES N; w 10 xN
// expect: MPIIO own.R @R: INDEP_OPENS 1, MODE 5, INDEP_WRITES 1; w 20
// expect: MPIIO but.two @R<N-2: COLL_OPENS 1, MODE 5, COLL_WRITES 1; w 30
// expect: POSIX by.hand: OPENS N, WRITES N, BYTES_WRITTEN 5N
// expect: POSIX of.zero @R<1: OPENS 1, WRITES 1, BYTES_WRITTEN 7
// expect: STDIO text: OPENS N, WRITES 2N, BYTES_WRITTEN 12N
#include "common.h"
#include <fcntl.h>

int main(int argc, char **argv) {
    begin(argc, argv);
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    MPI_File file = open_by(MPI_COMM_WORLD, "all", mode);
    ok(MPI_File_write_at(file, 10 * rank, buf, 10, MPI_BYTE, none));
    ok(MPI_File_close(&file));

    char name[30];
    sprintf(name, "own.%d", rank);
    file = open_by(MPI_COMM_SELF, name, mode);
    ok(MPI_File_write(file, buf, 20, MPI_BYTE, none));
    ok(MPI_File_close(&file));

    MPI_Comm some;
    ok(MPI_Comm_split(MPI_COMM_WORLD, rank < ranks - 2, rank, &some));
    if (rank < ranks - 2) {
        file = open_by(some, "but.two", mode);
        ok(MPI_File_write_at_all(file, 30 * rank, buf, 30, MPI_BYTE, none));
        ok(MPI_File_close(&file));
    }

    int fd = open("by.hand", O_CREAT | O_WRONLY, 0644);
    if (pwrite(fd, buf, 5, 5 * rank) != 5 || close(fd))
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (rank == 0) {
        fd = open("of.zero", O_CREAT | O_WRONLY, 0644);
        if (write(fd, buf, 7) != 7 || close(fd))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    FILE *text = fopen("text", "w");
    fputs("hello ", text);
    fputs("world\n", text);
    fclose(text);
    ok(MPI_Finalize());
}
