// Pipes, sockets and devices are not files.
// expect: POSIX data: OPENS 1, MODE 0644; w 0 5
// absent: POSIX /dev/*
// absent: POSIX *pipe*
// absent: POSIX *socket*
// absent: POSIX /proc/*
#include "../common.h"
#include <sys/socket.h>

int main(int argc, char **argv) {
    go(argv);
    int ends[2];
    is(0, pipe(ends));
    is(4, write(ends[1], buf, 4));
    is(4, read(ends[0], buf, 4));
    is(0, close(ends[0]));
    is(0, close(ends[1]));
    is(0, socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    is(4, write(ends[1], buf, 4));
    is(4, read(ends[0], buf, 4));
    int null = ok(open("/dev/null", O_RDWR));
    is(9, write(null, buf, 9));
    int self = ok(open("/proc/self/status", O_RDONLY));
    is(10, read(self, buf, 10));
    is(5, write(create("data"), buf, 5));
}
