// Files of each rank in requests of 256 KiB, each of which waits for the disk.
// must: throughput_utilization
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    const int size = 256 << 10;
    int fd = open_own(rank, O_CREAT | O_WRONLY);
    for (int i = 0; i < 128; i++) {
        all(write(fd, buf, size), size);
        fsync(fd);
    }
    close(fd);
    ok(MPI_Finalize());
}
