// A file keeps its record when it gets another name while it is open.
// expect: POSIX before: OPENS 1, MODE 0644, RENAME_SOURCES 1; w 0 3, w 3 4
// expect: POSIX after: OPENS 1, RENAME_TARGETS 1, RENAMED_FROM id(before); r 0 7
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("before");
    is(3, write(fd, buf, 3));
    is(0, rename("before", "after"));
    is(4, write(fd, buf, 4));
    is(7, read(ok(open("after", O_RDONLY)), buf, 100));
}
