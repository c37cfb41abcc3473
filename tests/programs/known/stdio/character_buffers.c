// Streams without a buffer, with a line, with one of the program's own, and with a tiny one.
// given: in 5000
// expect: STDIO unbuffered: OPENS 1; w 0 1 x300
// expect: STDIO lines: OPENS 1; w 0 1 x300
// expect: STDIO own: OPENS 1; w 0 1 x300
// expect: STDIO tiny: OPENS 1; w 0 1 x300
// expect: STDIO changed: OPENS 1; w 0 1 x300
// expect: STDIO in: OPENS 3; r 0 1 x300, r 0 1 x300, r 0 1 x300
#include "../common.h"

static char own[64];

static FILE *with(const char *name, const char *mode, char *buffer, int kind, size_t size) {
    FILE *f = there(fopen(name, mode));
    is(0, setvbuf(f, buffer, kind, size));
    return f;
}

static void put(FILE *f) {
    for (int i = 0; i < 300; i++)
        is(0, (i % 2 ? putc(i % 7 ? 'a' : '\n', f) : putc_unlocked('b', f)) == EOF);
    is(0, fclose(f));
}

static void get(FILE *f) {
    for (int i = 0; i < 300; i++)
        is('a' + i % 26, i % 2 ? getc(f) : fgetc_unlocked(f));
    // It is not read to its end.
    is(0, fclose(f));
}

int main(int argc, char **argv) {
    go(argv);
    put(with("unbuffered", "w", NULL, _IONBF, 0));
    put(with("lines", "w", NULL, _IOLBF, 0));
    put(with("own", "w", own, _IOFBF, sizeof own));
    put(with("tiny", "w", own, _IOFBF, 1));
    // The buffer changes under way.
    FILE *f = there(fopen("changed", "w"));
    for (int i = 0; i < 100; i++)
        is('x', putc('x', f));
    is(0, setvbuf(f, own, _IOFBF, sizeof own));
    for (int i = 0; i < 100; i++)
        is('x', putc('x', f));
    is(0, setvbuf(f, NULL, _IONBF, 0));
    for (int i = 0; i < 100; i++)
        is('x', putc('x', f));
    is(0, fclose(f));
    get(with("in", "r", NULL, _IONBF, 0));
    get(with("in", "r", own, _IOFBF, sizeof own));
    get(with("in", "r", NULL, _IOFBF, 4096));
}
