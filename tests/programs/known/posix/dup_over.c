// dup2 onto a number that is in use closes that file and takes the number over.
// expect: POSIX first: OPENS 1, MODE 0644; w 0 10 |
// expect: POSIX second: OPENS 2, DUPS 1, MODE 0644; w 0 20, w 20 30
// expect: POSIX third: OPENS 2, DUPS 1, MODE 0644; w 0 1
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int first = create("first"), second = create("second"), third = create("third");
    is(10, write(first, buf, 10));
    is(20, write(second, buf, 20));
    is(first, dup2(second, first));
    is(30, write(first, buf, 30));
    is(second, dup3(third, second, 0));
    is(1, write(second, buf, 1));
}
