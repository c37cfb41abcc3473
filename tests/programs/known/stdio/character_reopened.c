// A stream that becomes another in the midst of a buffer, and standard output that becomes a file.
// stdout: printed
// given: first 9000
// given: second 9000
// expect: STDIO <STDOUT>: OPENS 1; w 0 1 x10
// expect: STDIO first: OPENS 2; r 0 1 x10, r 0 1 x5000
// expect: STDIO second: OPENS 1; r 0 1 x20
// expect: STDIO output: OPENS 1; w 0 1 x5000
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("first", "r"));
    for (int i = 0; i < 10; i++)
        is('a' + i, getc(f));
    f = there(freopen("second", "r", f));
    for (int i = 0; i < 20; i++)
        is('a' + i, getc(f));
    is(0, fclose(f));
    // Most likely the memory and the descriptor of the one before.
    f = there(fopen("first", "r"));
    for (int i = 0; i < 5000; i++)
        is('a' + i % 26, getc(f));
    is(0, fclose(f));
    for (int i = 0; i < 10; i++)
        is('x', putchar('x'));
    there(freopen("output", "w", stdout));
    for (int i = 0; i < 5000; i++)
        is('y', putchar('y'));
}
