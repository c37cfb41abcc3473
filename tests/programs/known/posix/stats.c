// Every way to ask for a file's state. Directories and links are not files.
// given: data 10
// given: path 10
// given: modern 10
// given: link_target 10
// expect: POSIX data: OPENS 1, STATS 5
// expect: POSIX path: STATS 6
// expect: POSIX modern: STATS 3
// expect: POSIX link_target: STATS 1
// absent: POSIX link
// absent: POSIX folder
// absent: POSIX nothing
#include "../common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    go(argv);
    struct stat s;
    struct stat64 s64;
    struct statx x;
    int fd = ok(open("data", O_RDONLY));
    is(0, fstat(fd, &s));
    is(10, s.st_size);
    is(0, fstat64(fd, &s64));
    is(0, fstatat(fd, "", &s, AT_EMPTY_PATH));
    is(0, statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &x));
    is(0, fstatat64(AT_FDCWD, "data", &s64, 0));

    is(0, stat("path", &s));
    is(0, stat64("path", &s64));
    is(0, lstat("path", &s));
    is(0, lstat64("path", &s64));
    is(0, fstatat(AT_FDCWD, "path", &s, 0));
    is(0, fstatat(AT_FDCWD, "path", &s, AT_SYMLINK_NOFOLLOW));

    int here = ok(open(".", O_RDONLY | O_DIRECTORY | O_PATH));
    is(0, statx(AT_FDCWD, "modern", 0, STATX_BASIC_STATS, &x));
    is(0, statx(here, "modern", 0, STATX_BASIC_STATS, &x));
    is(0, fstatat(here, "modern", &s, 0));

    is(0, symlink("link_target", "link"));
    is(0, lstat("link", &s));
    is(0, stat("link", &s));
    is(0, mkdir("folder", 0755));
    is(0, stat("folder", &s));
    is(-1, stat("nothing", &s));
    is(-1, fstat(1000, &s));
}
