// The plain calls.
// expect: POSIX data: OPENS 1, SEEKS 1, MODE 0644; w 0 100, w 100 200, r 0 50, r 50 250, r 300 0
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(100, write(fd, buf, 100));
    is(200, write(fd, buf, 200));
    is(0, lseek(fd, 0, SEEK_SET));
    is(50, read(fd, buf, 50));
    is(250, read(fd, buf, 1000));
    is(0, read(fd, buf, 1000));
    is(0, close(fd));
}
