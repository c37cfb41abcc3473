// However a file is called, it has one record; each hard link is a file of its own.
// given: data 100
// expect: POSIX data: OPENS 11; r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1 | r 0 1
// expect: POSIX hard: OPENS 1; r 0 2
#include "../common.h"
#include <sys/stat.h>

static void use(int fd) {
    is(1, read(ok(fd), buf, 1));
    is(0, close(fd));
}

int main(int argc, char **argv) {
    go(argv);
    char path[4096];
    is(0, mkdir("folder", 0755));
    is(0, symlink("data", "link"));
    is(0, symlink("link", "chain"));
    is(0, symlink("folder", "way"));
    is(0, link("data", "hard"));
    use(open("data", O_RDONLY));
    use(open("./data", O_RDONLY));
    use(open(".//.//data", O_RDONLY));
    use(open("folder/../data", O_RDONLY));
    use(open("link", O_RDONLY));
    use(open("chain", O_RDONLY));
    use(open("way/../data", O_RDONLY));
    snprintf(path, sizeof path, "%s//./folder/..//data", argv[1]);
    use(open(path, O_RDONLY));
    is(0, chdir("folder"));
    use(open("../data", O_RDONLY));
    int up = ok(open("..", O_PATH | O_DIRECTORY));
    is(0, fchdir(up));
    use(open("data", O_RDONLY));
    use(openat(up, "way/../link", O_RDONLY));
    int fd = ok(open("hard", O_RDONLY));
    is(2, read(fd, buf, 2));
    is(0, close(fd));
}
