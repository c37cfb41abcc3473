// All forms of reading and writing a character in turn, over many buffers, on a file and on the
// standard streams. Without optimisation each form is a call.
// given: in 10000
// stdin: in
// stdout: out
// expect: STDIO <STDIN>: OPENS 1; r 0 1 x10000
// expect: STDIO <STDOUT>: OPENS 1; w 0 1 x10000
// expect: STDIO data: OPENS 2; w 0 1 x10000, r 0 1 x10000
#include "../common.h"

static int put(int i, int c, FILE *f) {
    switch (i % 4) {
    case 0: return putc(c, f);
    case 1: return fputc(c, f);
    case 2: return putc_unlocked(c, f);
    default: return fputc_unlocked(c, f);
    }
}

static int get(int i, FILE *f) {
    switch (i % 4) {
    case 0: return getc(f);
    case 1: return fgetc(f);
    case 2: return getc_unlocked(f);
    default: return fgetc_unlocked(f);
    }
}

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    for (int i = 0; i < 10000; i++)
        is('a', put(i, 'a', f));
    is(0, fclose(f));
    f = there(fopen("data", "r"));
    for (int i = 0; i < 10000; i++)
        is('a', get(i, f));
    is(EOF, getc(f));
    is(EOF, fgetc_unlocked(f));
    is(0, fclose(f));
    for (int i = 0; i < 10000; i++) {
        int c = i % 3 == 0 ? getchar() : i % 3 == 1 ? getchar_unlocked() : get(i, stdin);
        is('a' + i % 26, c);
        is(c, i % 3 == 0 ? putchar(c) : i % 3 == 1 ? putchar_unlocked(c) : put(i, c, stdout));
    }
    is(EOF, getchar());
}
