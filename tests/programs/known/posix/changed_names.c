// The same string means another file after chdir and fchdir.
// expect: POSIX one/data: OPENS 1, MODE 0644; w 0 1
// expect: POSIX two/data: OPENS 1, MODE 0644; w 0 2
// expect: POSIX data: OPENS 1, MODE 0644; w 0 3
#include "../common.h"
#include <sys/stat.h>

static void use(const char *name, int bytes) {
    int fd = create(name);
    is(bytes, write(fd, buf, bytes));
    is(0, close(fd));
}

int main(int argc, char **argv) {
    go(argv);
    int above = ok(open(".", O_RDONLY | O_DIRECTORY));
    is(0, mkdir("one", 0755));
    is(0, mkdir("two", 0755));
    is(0, chdir("one"));
    use("data", 1);
    is(0, chdir("../two"));
    use("data", 2);
    is(0, fchdir(above));
    use("data", 3);
}
