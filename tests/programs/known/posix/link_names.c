// The name of a link is not that of the file behind it, and a directory is what it leads to.
// expect: POSIX target: OPENS 1, MODE 0644; w 0 5
// expect: POSIX link: OPENS 1, MODE 0644; w 0 7
// expect: POSIX other: OPENS *, RENAME_TARGETS 1
// expect: POSIX around: OPENS 1, MODE 0644; w 0 3
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    char folder[4096], path[5000], other[5000];
    there(getcwd(folder, sizeof folder));
    snprintf(path, sizeof path, "%s/link", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    is(0, symlink("target", path));
    int fd = create(path);
    is(5, write(fd, buf, 5));
    is(0, rename(path, other));
    fd = create("link");
    is(7, write(fd, buf, 7));
    // Begins like a path that is left out.
    snprintf(path, sizeof path, "/usr/..%s/around", folder);
    fd = create(path);
    is(3, write(fd, buf, 3));
}
