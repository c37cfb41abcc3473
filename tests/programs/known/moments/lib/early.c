// A library that works before and after the program does.
#include "../../common.h"

static int fd;

__attribute__((constructor)) static void begin(int argc, char **argv) {
    go(argv);
    fd = create("library");
    is(10, write(fd, buf, 10));
}

__attribute__((destructor)) static void end(void) {
    is(20, write(fd, buf, 20));
}

int early(void) {
    return fd;
}
