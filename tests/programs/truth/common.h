// What these programs share: files of descriptors, and the rank whose file is read back.
#include "../mpi/common.h"
#include <fcntl.h>
#include <sys/stat.h>

static inline int open_file(const char *name, int flags) {
    int fd = open(name, flags, 0644);
    if (fd < 0) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return fd;
}

// The file of a rank; ranks read that of the next one, whose pages are not their own.
static inline int open_own(int whose, int flags) {
    char name[64];
    snprintf(name, sizeof name, "own.%d", whose % ranks);
    return open_file(name, flags);
}

#define all(call, size)                                                                            \
    do {                                                                                           \
        if ((call) != (size)) {                                                                    \
            perror(#call);                                                                         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

// Writes a file of each rank from front to end, and reads the neighbour's, in requests of `size`.
static inline void own_files(char *data, long size, long requests) {
    int fd = open_own(rank, O_CREAT | O_WRONLY);
    for (long i = 0; i < requests; i++)
        all(write(fd, data, size), size);
    fsync(fd);
    close(fd);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    fd = open_own(rank + 1, O_RDONLY);
    for (long i = 0; i < requests; i++)
        all(read(fd, data, size), size);
    close(fd);
}
