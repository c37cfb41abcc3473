// Buffers and offsets that are not aligned.
// expect: POSIX memory: OPENS 1, MODE 0644, MEM_NOT_ALIGNED 8; w 0 8 x8 +0, w 0 8, r 0 8
// expect: POSIX vectors: OPENS 1, MODE 0644, MEM_NOT_ALIGNED 3; w 0 16, w 0 16, w 0 16, r 0 16
// expect: POSIX offsets: OPENS 1, MODE 0644; w 0 8, w 4096 8, w 4095 8, w 512 8, w 8192 8, w 1048576 8
#include "../common.h"
#include <sys/uio.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("memory");
    for (int i = 0; i < 8; i++)
        is(8, pwrite(fd, buf + i, 8, 0));
    is(8, pwrite(fd, buf + 8, 8, 0));
    is(8, pread(fd, buf + 4, 8, 0));

    fd = create("vectors");
    struct iovec aligned[] = {{buf, 8}, {buf + 8, 8}};
    struct iovec first[] = {{buf + 1, 8}, {buf + 8, 8}};
    struct iovec second[] = {{buf, 8}, {buf + 9, 8}};
    struct iovec both[] = {{buf + 1, 8}, {buf + 9, 8}};
    is(16, pwritev(fd, aligned, 2, 0));
    is(16, pwritev(fd, first, 2, 0));
    is(16, pwritev(fd, second, 2, 0));
    is(16, preadv(fd, both, 2, 0));

    fd = create("offsets");
    static const int offsets[] = {0, 4096, 4095, 512, 8192, 1 << 20};
    for (int i = 0; i < 6; i++)
        is(8, pwrite(fd, buf, 8, offsets[i]));
}
