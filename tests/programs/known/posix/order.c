// What counts as sequential and consecutive, from the first access on.
// expect: POSIX forward: OPENS 1, MODE 0644; w 0 10 x100
// expect: POSIX from_one: OPENS 1, MODE 0644; w 1 10, w 11 10
// expect: POSIX one_byte: OPENS 1, MODE 0644; w 0 1 x5
// expect: POSIX after_nothing: OPENS 1, MODE 0644; w 0 0, w 0 10
// expect: POSIX gaps: OPENS 1, MODE 0644; w 100 10, w 200 10, w 300 10
// expect: POSIX backward: OPENS 1, MODE 0644; w 90 10, w 80 10, w 70 10, w 0 10
// expect: POSIX again: OPENS 1, MODE 0644; w 0 10 x3 +0
// expect: POSIX overlap: OPENS 1, MODE 0644; w 0 10, w 5 10, w 14 2, w 16 2
// expect: POSIX both: OPENS 1, MODE 0644; w 0 10, r 0 10, w 10 10, r 10 10, r 20 0, w 20 10
// expect: POSIX reopened: OPENS 3, MODE 0644; w 0 10 | r 0 5, r 5 5 | w 10 10
#include "../common.h"

static void at(int fd, int offset, int bytes) {
    is(bytes, pwrite(fd, buf, bytes, offset));
}

int main(int argc, char **argv) {
    go(argv);
    int fd = create("forward");
    for (int i = 0; i < 100; i++)
        is(10, write(fd, buf, 10));
    fd = create("from_one");
    at(fd, 1, 10), at(fd, 11, 10);
    fd = create("one_byte");
    for (int i = 0; i < 5; i++)
        is(1, write(fd, buf, 1));
    fd = create("after_nothing");
    at(fd, 0, 0), at(fd, 0, 10);
    fd = create("gaps");
    at(fd, 100, 10), at(fd, 200, 10), at(fd, 300, 10);
    fd = create("backward");
    at(fd, 90, 10), at(fd, 80, 10), at(fd, 70, 10), at(fd, 0, 10);
    fd = create("again");
    at(fd, 0, 10), at(fd, 0, 10), at(fd, 0, 10);
    fd = create("overlap");
    at(fd, 0, 10), at(fd, 5, 10), at(fd, 14, 2), at(fd, 16, 2);
    fd = create("both");
    at(fd, 0, 10);
    is(10, pread(fd, buf, 10, 0));
    at(fd, 10, 10);
    is(10, pread(fd, buf, 10, 10));
    is(0, pread(fd, buf, 10, 20));
    at(fd, 20, 10);

    fd = create("reopened");
    is(10, write(fd, buf, 10));
    is(0, close(fd));
    fd = ok(open("reopened", O_RDONLY));
    is(5, read(fd, buf, 5));
    is(5, read(fd, buf, 5));
    is(0, close(fd));
    fd = ok(open("reopened", O_WRONLY | O_APPEND));
    is(10, write(fd, buf, 10));
    is(0, close(fd));
}
