// Calls on paths that Darshan does not count, by directory: those that fail, and those without a counter.
// expect: POSIX data: OPENS 1, MODE 0644
// expect: POSIX renamed: OPENS 1
// others: data: truncate 2
// facts: renamed: type dir
// metadata: .: open 3/3, stat 4/3, access 3/1, unlink 3/1, rename 2/1, link 1, symlink 2/1, readlink 2/1,
//     mkdir 3/1, rmdir 2/1, chmod 3/1, chown 3/1, utime 4/1, truncate 3/1, mknod 2/1
// metadata: renamed: open 1/1, stat 2/1, mkdir 1, rmdir 1
// metadata: nowhere: stat 1/1, unlink 1/1
// metadata: -: stat 1/1, access 1/1
#include "../common.h"
#include <sys/stat.h>
#include <sys/time.h>
#include <utime.h>

int main(int argc, char **argv) {
    go(argv);
    struct stat found;
    const char *volatile nowhere = (char *)1;
    int fd = create("data");
    is(-1, open("none", O_RDONLY));
    is(-1, open64("./none", O_RDONLY));
    is(0, (long)fopen("none", "r"));
    is(-1, stat("none", &found));
    is(-1, lstat("none", &found));
    is(-1, fstatat(AT_FDCWD, "none", &found, 0));
    is(0, access("data", R_OK));
    is(0, faccessat(AT_FDCWD, "data", F_OK, 0));
    is(-1, access("none", F_OK));
    is(0, mkdir("folder", 0755));
    is(-1, mkdir("folder", 0755));
    is(0, stat("folder", &found));
    is(0, mkdirat(AT_FDCWD, "second/", 0755));
    is(0, rmdir("second"));
    is(-1, rmdir("second"));
    is(0, link("data", "linked"));
    is(0, symlink("data", "soft"));
    is(-1, symlinkat("data", AT_FDCWD, "soft"));
    is(4, readlink("soft", buf, 100));
    is(-1, readlink("data", buf, 100));
    is(0, chmod("data", 0644));
    is(0, fchmod(fd, 0644));
    is(-1, fchmodat(AT_FDCWD, "none", 0644, 0));
    is(0, chown("data", -1, -1));
    is(0, fchown(fd, -1, -1));
    is(-1, lchown("none", -1, -1));
    is(0, utime("data", NULL));
    is(0, utimensat(AT_FDCWD, "data", NULL, 0));
    is(0, futimens(fd, NULL));
    is(-1, utimes("none", NULL));
    is(0, truncate("data", 10));
    is(0, ftruncate(fd, 20));
    is(-1, truncate("none", 0));
    is(0, mkfifo("pipe", 0600));
    is(-1, mkfifo("pipe", 0600));
    is(0, unlink("pipe"));
    is(-1, unlink("none"));
    is(0, unlink("data"));
    is(-1, rename("none", "other"));
    is(0, rename("folder", "renamed"));

    // By a descriptor of the directory, and by another name of it.
    int folder = ok(open("renamed", O_RDONLY | O_DIRECTORY));
    is(-1, openat(folder, "none", O_RDONLY));
    is(-1, fstatat(folder, "none", &found, 0));
    is(0, mkdirat(folder, "inner", 0755));
    is(0, stat("renamed/../renamed/inner", &found));
    is(0, unlinkat(folder, "inner", AT_REMOVEDIR));

    // A directory that does not exist, and paths that are none.
    is(-1, stat("nowhere/file", &found));
    is(-1, unlink("nowhere/file"));
    is(-1, stat(nowhere, &found));
    is(-1, access(nowhere, F_OK));

    // What is not the program's is not counted.
    is(-1, access("/usr/none", F_OK));
    is(-1, stat("/proc/none", &found));
    is(-1, open("/etc/none", O_RDONLY));
}
