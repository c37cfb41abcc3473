// Formatted input after characters were pushed back: those that were there, and others.
// expect: STDIO data: OPENS 2; w 0 12, r 0 2, r 1 2, r 3 1, r 1 4, r 5 3
// expect: STDIO unbuffered: OPENS 2; w 0 12, r 0 2, r 1 2, r 3 1, r 1 4, r 5 3
#include "../common.h"

static void scan(const char *name, int buffering) {
    FILE *f = there(fopen(name, "w"));
    is(0, fputs("12 34 56 78\n", f) == EOF);
    is(0, fclose(f));
    f = there(fopen(name, "r"));
    is(0, setvbuf(f, NULL, buffering, 4096));
    int number;
    is(1, fscanf(f, "%d", &number));
    is('2', ungetc('2', f));
    is(1, fscanf(f, "%2d%*c", &number));
    is(2, number);
    is(1, fscanf(f, "%1d", &number));
    is(3, number);
    // Three deep, and the file has something else there.
    is('9', ungetc('9', f));
    is('8', ungetc('8', f));
    is('7', ungetc('7', f));
    is(1, fscanf(f, "%d", &number));
    is(7894, number);
    is(5, ftell(f));
    is(1, fscanf(f, "%d", &number));
    is(56, number);
    is(8, ftell(f));
    is(0, fclose(f));
}

int main(int argc, char **argv) {
    go(argv);
    scan("data", _IOFBF);
    scan("unbuffered", _IONBF);
}
