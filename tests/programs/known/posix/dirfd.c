// Paths relative to a directory's descriptor, however that came to be.
// expect: POSIX one/data: OPENS 2, MODE 0644; w 0 1 | w 0 1
// expect: POSIX two/data: OPENS 2, MODE 0644, RENAME_SOURCES 1; w 0 2 | r 0 2
// expect: POSIX two/moved: RENAME_TARGETS 1, RENAMED_FROM id(two/data), STATS 1
// expect: POSIX one: OPENS 2, DUPS 1
// expect: POSIX two: OPENS 1
#include "../common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    go(argv);
    is(0, mkdir("one", 0755));
    is(0, mkdir("two", 0755));
    int one = ok(open("one", O_RDONLY | O_DIRECTORY)), again = ok(dup(one));
    is(1, write(ok(openat(one, "data", O_WRONLY | O_CREAT, 0644)), buf, 1));
    is(1, write(ok(openat(again, "./data", O_WRONLY)), buf, 1));
    is(0, close(one));
    // The same number for another directory.
    int two = ok(openat(again, "../two", O_RDONLY | O_DIRECTORY));
    is(one, two);
    is(2, write(ok(openat(two, "data", O_WRONLY | O_CREAT, 0644)), buf, 2));
    is(0, fchdir(two));
    is(2, read(ok(open("data", O_RDONLY)), buf, 10));
    is(0, renameat(two, "data", AT_FDCWD, "moved"));
    struct stat found;
    is(0, fstatat(two, "moved", &found, 0));
}
