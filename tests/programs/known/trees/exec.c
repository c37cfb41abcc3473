// A program that becomes another one, with a file open.
// expect: POSIX data @*: OPENS 2, MODE *, WRITES 3, BYTES_WRITTEN 60
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    if (argc == 2) {
        int fd = create("data");
        is(10, write(fd, buf, 10));
        char number[20];
        snprintf(number, sizeof number, "%d", fd);
        execl("/proc/self/exe", argv[0], argv[1], number, NULL);
        return 1;
    }
    int fd = atoi(argv[2]);
    is(20, write(fd, buf, 20));
    is(0, close(fd));
    fd = ok(open("data", O_WRONLY | O_APPEND));
    is(30, write(fd, buf, 30));
}
