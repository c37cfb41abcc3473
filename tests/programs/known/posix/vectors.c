// Calls with several buffers are one access of their sum.
// expect: POSIX data: OPENS 1, SEEKS 1, MODE 0644; w 0 60, w 100 60, w 200 60, w 300 60, w 60 60,
//     w 400 60, w 120 60, r 0 60, r 100 60, r 200 60, r 300 60, r 60 60, r 400 60, r 120 60,
//     r 430 30
#include "../common.h"
#include <sys/uio.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    struct iovec v[3] = {{buf, 10}, {buf + 16, 20}, {buf + 64, 30}};
    is(60, writev(fd, v, 3));
    is(60, pwritev(fd, v, 3, 100));
    is(60, pwritev64(fd, v, 3, 200));
    is(60, pwritev2(fd, v, 3, 300, 0));
    // At the position, which moves.
    is(60, pwritev2(fd, v, 3, -1, 0));
    is(60, pwritev64v2(fd, v, 3, 400, 0));
    is(60, pwritev64v2(fd, v, 3, -1, 0));
    is(0, lseek(fd, 0, SEEK_SET));
    is(60, readv(fd, v, 3));
    is(60, preadv(fd, v, 3, 100));
    is(60, preadv64(fd, v, 3, 200));
    is(60, preadv2(fd, v, 3, 300, 0));
    is(60, preadv2(fd, v, 3, -1, 0));
    is(60, preadv64v2(fd, v, 3, 400, 0));
    is(60, preadv64v2(fd, v, 3, -1, 0));
    // Less than was asked for.
    is(30, preadv(fd, v, 3, 430));
    is(0, close(fd));
}
