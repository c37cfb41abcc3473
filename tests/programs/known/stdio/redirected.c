// A standard stream whose descriptor the program itself makes a file, as shells do, is that file
// until it is what it was again.
// expect: STDIO <STDOUT>: OPENS 1, FLUSHES 1, WRITES 3, BYTES_WRITTEN 12, MAX_BYTE_WRITTEN *
// expect: STDIO appended: OPENS 0, FLUSHES 1; w 100 7, w 107 1
// expect: POSIX appended: OPENS 2, DUPS 1; w 108 5
// expect: STDIO opened: OPENS 0, FLUSHES 1; w 0 4
// expect: POSIX opened: OPENS 1, MODE 0644
// expect: STDIO input: OPENS 0; r 0 10
// expect: POSIX input: OPENS 2, DUPS 1
// given: appended 100
// given: input 50
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(6, printf("before"));
    is(0, fflush(stdout));
    int saved = ok(dup(1));
    int file = ok(open("appended", O_WRONLY | O_APPEND));
    is(1, dup2(file, 1));
    is(0, close(file));
    is(7, printf("inside\n"));
    is('x', putchar('x'));
    is(0, fflush(stdout));
    is(5, write(1, buf, 5));
    is(1, dup2(saved, 1));
    is(5, printf("after"));

    // What is in the buffer goes to the next file, but it was written to this one.
    is(0, close(1));
    is(1, open("opened", O_WRONLY | O_CREAT, 0644));
    is(4, printf("four"));
    is(0, fflush(stdout));
    is(1, dup2(saved, 1));
    is('y', putchar('y'));

    file = ok(open("input", O_RDONLY));
    is(0, dup2(file, 0));
    is(10, fread(buf, 1, 10, stdin));
}
