// Files of each rank in blocks of 64 KiB, every one once, in no order.
// must: access_pattern
// may: access_granularity
#include "common.h"

enum { BLOCKS = 1024, BLOCK = 64 << 10 };

static void shuffle(int *order) {
    srand(17 + rank);
    for (int i = 0; i < BLOCKS; i++) {
        int other = rand() % (i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

int main(int argc, char **argv) {
    static int order[BLOCKS];
    begin(argc, argv);
    shuffle(order);
    int fd = open_own(rank, O_CREAT | O_WRONLY);
    for (int i = 0; i < BLOCKS; i++)
        all(pwrite(fd, buf, BLOCK, (off_t)order[i] * BLOCK), BLOCK);
    fsync(fd);
    close(fd);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    fd = open_own(rank + 1, O_RDONLY);
    for (int i = 0; i < BLOCKS; i++)
        all(pread(fd, buf, BLOCK, (off_t)order[i] * BLOCK), BLOCK);
    close(fd);
    ok(MPI_Finalize());
}
