// What a distribution's compiler flags make of the calls: __open_2, __read_chk, __pread_chk ...
// build: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// given: data 1000
// expect: POSIX data: OPENS 4; | | r 0 10, r 100 20, r 200 30 |
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    // Not known when compiling, so the checked functions are called.
    volatile int flags = O_RDONLY;
    volatile size_t ten = 10, twenty = 20, thirty = 30;
    is(0, close(ok(open("data", flags))));
    is(0, close(ok(open64("data", flags))));
    int fd = ok(openat(AT_FDCWD, "data", flags));
    char *small = there(malloc(40));
    is(10, read(fd, small, ten));
    is(20, pread(fd, small, twenty, 100));
    is(30, pread64(fd, small, thirty, 200));
    free(small);
    is(0, close(fd));
    is(0, close(ok(openat64(AT_FDCWD, "data", flags))));
}
