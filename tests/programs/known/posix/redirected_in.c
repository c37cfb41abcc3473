// `program < file`
// given: in 100
// stdin: in
// expect: POSIX in: OPENS 0, SEEKS 1; r 0 30, r 30 70, r 100 0, r 90 10
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(30, read(0, buf, 30));
    is(70, read(0, buf, 1000));
    is(0, read(0, buf, 1000));
    is(90, lseek(0, 90, SEEK_SET));
    is(10, read(0, buf, 10));
}
