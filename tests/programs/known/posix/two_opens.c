// Two opens of one file: two positions, one record.
// given: data 1000
// expect: POSIX data: OPENS 2; r 0 100, r 0 10, r 100 100, r 10 10
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int one = ok(open("data", O_RDONLY)), two = ok(open("data", O_RDONLY));
    is(100, read(one, buf, 100));
    is(10, read(two, buf, 10));
    is(100, read(one, buf, 100));
    is(10, read(two, buf, 10));
}
