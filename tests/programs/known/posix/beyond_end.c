// Reading behind the end gives nothing, and counts as a read of nothing at that place.
// expect: POSIX data: OPENS 1, MODE 0644, SEEKS 2; w 0 100, r 5000 0, r 90 10, r 7000 0, w 7000 10, r 100 50
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(100, write(fd, buf, 100));
    is(0, pread(fd, buf, 10, 5000));
    is(10, pread(fd, buf, 10, 90));
    is(7000, lseek(fd, 7000, SEEK_SET));
    is(0, read(fd, buf, 10));
    is(10, write(fd, buf, 10));
    is(100, lseek(fd, 100, SEEK_SET));
    is(50, read(fd, buf, 50));
}
