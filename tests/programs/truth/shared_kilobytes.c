// One file in which ranks take turns with a kilobyte each, without MPI-IO.
// ranks: 8
// must: access_granularity interface_choice
// may: throughput_utilization access_pattern
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    int fd = open_file("shared", O_CREAT | O_RDWR);
    for (long i = 0; i < 1024; i++)
        all(pwrite(fd, buf, 1024, (i * ranks + rank) * 1024), 1024);
    fsync(fd);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    for (long i = 0; i < 1024; i++)
        all(pread(fd, buf, 1024, (i * ranks + (rank + 1) % ranks) * 1024), 1024);
    close(fd);
    ok(MPI_Finalize());
}
