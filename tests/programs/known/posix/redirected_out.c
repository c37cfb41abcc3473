// `program > file`: write(1) is a write of that file.
// stdout: out
// expect: POSIX out: OPENS 0; w 0 10, w 10 5
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(10, write(1, buf, 10));
    is(5, write(STDOUT_FILENO, buf, 5));
}
