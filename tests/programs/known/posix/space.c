// Truncating and allocating have no counter, and neither is a write.
// expect: POSIX data: OPENS 1, MODE 0644, STATS *; w 0 10, w 10 10
#include "../common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(10, write(fd, buf, 10));
    is(0, ftruncate(fd, 5));
    is(0, truncate("data", 100));
    is(0, posix_fallocate(fd, 0, 4096));
    is(0, posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
    is(0, fchmod(fd, 0600));
    is(10, write(fd, buf, 10));
}
