// Before every constructor, when the C library does not know the environment yet.
// expect: POSIX first: OPENS 1, MODE 0644; w 0 3, w 3 4
// expect: POSIX main: OPENS 1, MODE 0644; w 0 5
#include "../common.h"

static int first;

static void before(int argc, char **argv, char **environment) {
    go(argv);
    first = create("first");
    is(3, write(first, buf, 3));
}

__attribute__((section(".preinit_array"), used)) static void (*entry)(int, char **, char **) = before;

int main(void) {
    is(4, write(first, buf, 4));
    is(0, close(first));
    int fd = create("main");
    is(5, write(fd, buf, 5));
    is(0, close(fd));
}
