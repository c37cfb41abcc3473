// Duplicates share a position; each counts as an open.
// expect: POSIX data: OPENS 6, DUPS 5, MODE 0644; w 0 10, w 10 10, w 20 10, w 30 10, w 40 10, w 50 10 |
//     w 60 10 | | | | |
// expect: POSIX other: OPENS 1, MODE 0644; w 0 5
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fds[6] = {create("data")};
    fds[1] = ok(dup(fds[0]));
    fds[2] = ok(dup2(fds[0], 50));
    fds[3] = ok(dup3(fds[1], 60, O_CLOEXEC));
    fds[4] = ok(fcntl(fds[2], F_DUPFD, 70));
    fds[5] = ok(fcntl(fds[0], F_DUPFD_CLOEXEC, 80));
    for (int i = 0; i < 6; i++)
        is(10, write(fds[i], buf, 10));
    is(0, close(fds[0]));
    // The number belongs to another file now; the duplicates do not.
    int other = create("other");
    is(fds[0], other);
    is(5, write(other, buf, 5));
    is(10, write(fds[3], buf, 10));
    for (int i = 1; i < 6; i++)
        is(0, close(fds[i]));
    is(0, close(other));
}
