// `program >> file 2> other`
// given: out 100
// stdout: >> out
// stderr: err
// expect: POSIX out: OPENS 0; w 100 10, w 110 5
// expect: POSIX err: OPENS 0; w 0 3
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(10, write(1, buf, 10));
    is(5, write(1, buf, 5));
    is(3, write(2, buf, 3));
}
