// A child writes on a descriptor it inherited: its own calls, at the position they share.
// expect: POSIX data @0: OPENS 1, MODE 0644; w 0 10, w 30 10
// expect: POSIX data @1: ; w 10 20
// expect: POSIX child @1: OPENS 1, MODE 0644; w 0 5
#include "../common.h"
#include <sys/wait.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(10, write(fd, buf, 10));
    pid_t child = ok(fork());
    if (child == 0) {
        is(20, write(fd, buf, 20));
        is(5, write(create("child"), buf, 5));
        return 0;
    }
    int status;
    is(child, waitpid(child, &status, 0));
    is(0, status);
    is(10, write(fd, buf, 10));
}
