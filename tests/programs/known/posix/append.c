// O_APPEND: what is written lands at the end, wherever the position was.
// given: old 100
// expect: POSIX old: OPENS 2, SEEKS 1; w 100 10, w 110 20, r 0 5, w 130 10, w 140 7, r 140 7
// given: later 50
// expect: POSIX later: OPENS 1; w 0 10, w 50 10, w 60 5
// given: vectors 8
// expect: POSIX vectors: OPENS 1; w 8 24, w 32 24
// given: placed 30
// expect: POSIX placed: OPENS 1; w 30 5, w 35 5, r 10 5
// given: flagged 30
// expect: POSIX flagged: OPENS 1; w 0 4, w 30 6, w 4 4, w 36 6, w 42 1
#include "../common.h"
#include <sys/uio.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = ok(open("old", O_RDWR | O_APPEND));
    int other = ok(open("old", O_WRONLY | O_APPEND));
    is(10, write(fd, buf, 10));
    is(20, write(other, buf, 20));
    is(0, lseek(fd, 0, SEEK_SET));
    is(5, read(fd, buf, 5));
    is(10, write(fd, buf, 10));
    is(7, write(other, buf, 7));
    // The last write moved the position of `fd` to 140; the other end is after it.
    is(7, read(fd, buf, 100));

    fd = ok(open("later", O_WRONLY));
    is(10, write(fd, buf, 10));
    is(0, fcntl(fd, F_SETFL, O_APPEND));
    is(10, write(fd, buf, 10));
    is(5, write(fd, buf, 5));

    // An offset does not keep what is written from the end.
    fd = ok(open("placed", O_RDWR | O_APPEND));
    is(5, pwrite(fd, buf, 5, 0));
    is(5, pwrite(fd, buf, 5, 10));
    is(5, pread(fd, buf, 5, 10));

    fd = ok(open("flagged", O_WRONLY));
    struct iovec six = {buf, 6};
    is(4, write(fd, buf, 4));
    is(6, pwritev2(fd, &six, 1, 0, RWF_APPEND));
    is(4, write(fd, buf, 4));
    is(6, pwritev2(fd, &six, 1, -1, RWF_APPEND));
    is(1, write(fd, buf, 1));

    fd = ok(open("vectors", O_WRONLY | O_APPEND));
    struct iovec v[2] = {{buf, 8}, {buf, 16}};
    is(24, writev(fd, v, 2));
    is(24, writev(fd, v, 2));
}
