// The position is the kernel's: pread and pwrite do not move it, lseek does in all its ways.
// expect: POSIX data: OPENS 1, SEEKS 6, MODE 0644; w 0 100, w 500 50, w 100 10, r 0 20, r 110 40,
//     w 500 7, w 507 3, r 10 5
// expect: POSIX sparse: OPENS 1, SEEKS 2, MODE 0644; w 1048576 4096
// expect: POSIX far: OPENS 1, SEEKS 1, MODE 0644; w 5000000000 10, r 5000000000 10
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(100, write(fd, buf, 100));
    is(50, pwrite(fd, buf, 50, 500));
    is(10, write(fd, buf, 10));
    is(20, pread(fd, buf, 20, 0));
    is(40, read(fd, buf, 40));
    is(150, lseek(fd, 0, SEEK_CUR));
    is(550, lseek(fd, 0, SEEK_END));
    is(500, lseek(fd, -50, SEEK_CUR));
    is(7, write(fd, buf, 7));
    is(3, write(fd, buf, 3));
    is(20, lseek64(fd, 20, SEEK_SET));
    is(10, lseek(fd, -10, SEEK_CUR));
    is(5, read(fd, buf, 5));
    is(10, lseek64(fd, 10, SEEK_SET));
    is(0, close(fd));

    fd = create("sparse");
    is(4096, pwrite64(fd, buf, 4096, 1 << 20));
    is(1 << 20, lseek(fd, 0, SEEK_DATA));
    is((1 << 20) + 4096, lseek(fd, 1 << 20, SEEK_HOLE));
    is(0, close(fd));

    fd = create("far");
    is(5000000000, lseek64(fd, 5000000000, SEEK_SET));
    is(10, write(fd, buf, 10));
    is(10, pread64(fd, buf, 10, 5000000000));
    is(0, close(fd));
}
