// A file that is removed while it is open keeps its record; a new one of that name has the same.
// expect: POSIX gone: OPENS 1, MODE 0600; w 0 10, r 0 10
// expect: POSIX again: OPENS 2, MODE 0644; w 0 1 | w 0 2
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = ok(open("gone", O_RDWR | O_CREAT, 0600));
    is(0, unlink("gone"));
    is(10, write(fd, buf, 10));
    is(10, pread(fd, buf, 10, 0));
    is(0, close(fd));
    fd = create("again");
    is(1, write(fd, buf, 1));
    is(0, remove("again"));
    fd = create("again");
    is(2, write(fd, buf, 2));
    is(0, unlinkat(AT_FDCWD, "again", 0));
}
