// One file in which ranks take turns with 256 KiB each, by MPI-IO, each on its own.
// ranks: 8
// must: interface_choice
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    const int size = 256 << 10;
    MPI_File file = create("shared");
    for (MPI_Offset i = 0; i < 64; i++)
        ok(MPI_File_write_at(file, (i * ranks + rank) * size, buf, size, MPI_BYTE, none));
    ok(MPI_File_sync(file));
    ok(MPI_Barrier(MPI_COMM_WORLD));
    for (MPI_Offset i = 0; i < 64; i++)
        ok(MPI_File_read_at(file, (i * ranks + (rank + 1) % ranks) * size, buf, size, MPI_BYTE,
                            none));
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
}
