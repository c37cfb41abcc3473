// One file in requests of 1 MiB, by descriptors: rank 5 writes 64 of them, the others 4 each.
// ranks: 8
// must: parallelism_efficiency
#include "common.h"

enum { SIZE = 1 << 20, FEW = 4, MANY = 64 };

int main(int argc, char **argv) {
    static char data[SIZE];
    begin(argc, argv);
    int fd = open_file("shared", O_CREAT | O_WRONLY);
    off_t before = (off_t)SIZE * (rank * FEW + (rank > 5 ? MANY - FEW : 0));
    for (int i = 0; i < (rank == 5 ? MANY : FEW); i++)
        all(pwrite(fd, data, SIZE, before + (off_t)i * SIZE), SIZE);
    close(fd);
    ok(MPI_Finalize());
}
