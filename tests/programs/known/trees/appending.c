// Two processes append to one file at once; nothing is known of where, all of how much.
// expect: POSIX data @0: OPENS 2, MODE 0644, WRITES 500, BYTES_WRITTEN 5000, SIZE_WRITE_0_100 500
// expect: POSIX data @1: OPENS 1, WRITES 500, BYTES_WRITTEN 5000, SIZE_WRITE_0_100 500
#include "../common.h"
#include <sys/stat.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
    go(argv);
    is(0, close(create("data")));
    pid_t child = ok(fork());
    int fd = ok(open("data", O_WRONLY | O_APPEND)), status;
    for (int i = 0; i < 500; i++)
        is(10, write(fd, buf, 10));
    if (child == 0)
        return 0;
    is(child, waitpid(child, &status, 0));
    is(0, status);
}
