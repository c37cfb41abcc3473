// One file that ranks write and read together, 4 MiB each at a time: nothing is wrong.
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    const int size = 4 << 20;
    char *data = calloc(1, size);
    MPI_File file = create("shared");
    for (MPI_Offset i = 0; i < 16; i++) {
        MPI_Offset at = (i / 4 * ranks + rank) * 4 * size + i % 4 * size;
        ok(MPI_File_write_at_all(file, at, data, size, MPI_BYTE, none));
    }
    ok(MPI_File_sync(file));
    for (MPI_Offset i = 0; i < 16; i++) {
        MPI_Offset at = (i / 4 * ranks + (rank + 1) % ranks) * 4 * size + i % 4 * size;
        ok(MPI_File_read_at_all(file, at, data, size, MPI_BYTE, none));
    }
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
