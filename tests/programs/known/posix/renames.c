// Renaming: the old path's record says so, and the new path's from whom.
// expect: POSIX a: OPENS 1, MODE 0644, RENAME_SOURCES 1; w 0 10
// expect: POSIX b: RENAME_TARGETS 1, RENAMED_FROM id(a), RENAME_SOURCES 1
// expect: POSIX c: RENAME_TARGETS 1, RENAMED_FROM id(b), OPENS 1, STATS *; r 0 10
// expect: POSIX d: OPENS 1, MODE 0644, RENAME_SOURCES 1
// expect: POSIX e: OPENS 1, MODE 0644, RENAME_TARGETS 1, RENAMED_FROM id(d)
// absent: POSIX nothing
// absent: POSIX neither
// absent: POSIX folder
// absent: POSIX renamed
#include "../common.h"
#include <sys/stat.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("a");
    is(10, write(fd, buf, 10));
    is(0, close(fd));
    is(0, rename("a", "b"));
    int here = ok(open(".", O_PATH | O_DIRECTORY));
    is(0, renameat(here, "b", AT_FDCWD, "c"));
    fd = ok(open("c", O_RDONLY));
    is(10, read(fd, buf, 10));
    is(0, close(create("d")));
    is(0, close(create("e")));
    is(-1, renameat2(AT_FDCWD, "d", AT_FDCWD, "e", RENAME_NOREPLACE));
    is(0, renameat2(AT_FDCWD, "d", here, "e", 0));
    is(-1, rename("nothing", "neither"));
    is(0, mkdir("folder", 0755));
    is(0, rename("folder", "renamed"));
}
