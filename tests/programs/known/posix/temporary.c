// Files whose names the library makes up, and one without a name.
// expect: POSIX mkstemp.??????: OPENS 1, MODE *; w 0 1
// expect: POSIX mkstemp64.??????: OPENS 1, MODE *; w 0 2
// expect: POSIX mkostemp.??????: OPENS 1, MODE *; w 0 3
// expect: POSIX mkstemps.??????.txt: OPENS 1, MODE *; w 0 4
// expect: POSIX mkostemps.??????.txt: OPENS 1, MODE *; w 0 5
// expect: POSIX #*: OPENS 1, MODE 0640, STATS *; w 0 6
#include "../common.h"
#include <sys/stat.h>

static void use(int fd, int bytes) {
    ok(fd);
    is(bytes, write(fd, buf, bytes));
    is(0, close(fd));
}

int main(int argc, char **argv) {
    go(argv);
    char names[5][40] = {"mkstemp.XXXXXX", "mkstemp64.XXXXXX", "mkostemp.XXXXXX",
                         "mkstemps.XXXXXX.txt", "mkostemps.XXXXXX.txt"};
    use(mkstemp(names[0]), 1);
    use(mkstemp64(names[1]), 2);
    use(mkostemp(names[2], O_CLOEXEC), 3);
    use(mkstemps(names[3], 4), 4);
    use(mkostemps(names[4], 4, O_APPEND), 5);
    int fd = open(".", O_TMPFILE | O_RDWR, 0640);
    if (fd == -1 && errno == EOPNOTSUPP)
        return 77;
    struct stat found;
    is(0, fstat(ok(fd), &found));
    is(0640, found.st_mode & 0777);
    use(fd, 6);
}
