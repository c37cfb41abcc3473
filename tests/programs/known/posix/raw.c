// A descriptor that the kernel gave without the library's help is found by its first use, also when its
// number was in use before.
// given: data 100
// expect: POSIX data: OPENS *, READS 2, BYTES_READ 20, SIZE_READ_0_100 2, MAX_BYTE_READ 19
// given: again 100
// expect: POSIX again: OPENS *, READS 3, BYTES_READ 30, SIZE_READ_0_100 3, MAX_BYTE_READ 29
// given: kept 100
// expect: POSIX kept: OPENS 1, READS 2, BYTES_READ 20, SIZE_READ_0_100 2, MAX_BYTE_READ 19
// absent: POSIX nothing
#include "../common.h"
#include <sys/syscall.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif

int main(int argc, char **argv) {
    go(argv);
    int fd = ok(syscall(SYS_openat, AT_FDCWD, "data", O_RDONLY));
    is(10, read(fd, buf, 10));
    is(10, read(fd, buf, 10));
    is(0, close(fd));

    int kept = ok(open("kept", O_RDONLY));
    is(10, read(kept, buf, 10));
    int again = ok(syscall(SYS_openat, AT_FDCWD, "again", O_RDONLY));
    is(10, read(again, buf, 10));
    // Closing when another program is started is not closing.
    is(0, syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC));
    is(10, read(kept, buf, 10));
    is(10, read(again, buf, 10));
    is(kept, syscall(SYS_dup3, again, kept, 0));
    is(10, read(kept, buf, 10));
}
