// Calls for which Darshan has no counter, on files and folders. None of them is an open or a write.
// Those that change a directory count there.
// expect: POSIX data: OPENS 1, MODE 0644
// others: data: truncate 2, fallocate 2
// metadata: .: unlink 3/1, mkdir 3/1, rmdir 3/1, truncate 3/1
// given: gone 10
#include "../common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(0, ftruncate(fd, 100));
    is(0, truncate("data", 50));
    is(0, posix_fallocate(fd, 0, 4096));
    is(0, fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 8192));
    is(0, unlink("data"));
    is(0, mkdir("folder", 0755));
    is(-1, mkdir("folder", 0755));
    is(0, rmdir("folder"));
    is(0, mkdirat(AT_FDCWD, "below", 0755));
    is(0, unlinkat(AT_FDCWD, "below", AT_REMOVEDIR));
    is(-1, rmdir("below"));
    is(0, unlinkat(AT_FDCWD, "gone", 0));
    is(-1, unlink("gone"));
    is(-1, truncate("nothing", 0));
}
