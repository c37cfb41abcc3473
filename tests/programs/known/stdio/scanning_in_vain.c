// Formatted input that stores nothing is no read, but it moves the position.
// expect: STDIO data: OPENS 2; w 0 24, r 0 2, r 6 1, r 7 3, r 13 1, r 14 2, r 16 4, r 21 1
// expect: STDIO wide: OPENS 1
// expect: STDIO written: OPENS 1; w 0 4, w 4 3
// given: wide 5000
#include "../common.h"
#include <wchar.h>

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is(0, fputs("12    seven   8-  9,+ab\n", f) == EOF);
    is(24, ftell(f));
    is(0, fclose(f));
    f = there(fopen("data", "r"));
    int number;
    is(1, fscanf(f, "%d", &number));
    is(0, fscanf(f, "%d", &number));
    is('s', getc(f));
    is(1, fscanf(f, "%3s", buf));
    is(0, strcmp(buf, "eve"));
    is(0, fscanf(f, "n x%d", &number));
    is(14, ftell(f));
    is(' ', ungetc(' ', f));
    is(0, fscanf(f, "%*[x]%d", &number));
    is(13, ftell(f));
    is(' ', getc(f));
    is(1, fscanf(f, "%d-", &number));
    is(8, number);
    is(1, fscanf(f, "%d,", &number));
    is(0, fscanf(f, "%d", &number));
    is('a', getc(f));
    is(0, fclose(f));

    // A stream of wide characters refuses.
    f = there(fopen("wide", "r"));
    is('a', fgetwc(f));
    is(EOF, fscanf(f, "%d", &number));
    is('b', fgetwc(f));
    is(0, fclose(f));
    // So does one that only writes.
    f = there(fopen("written", "w"));
    is(4, fwrite("1234", 1, 4, f));
    is(EOF, fscanf(f, "%d", &number));
    is(3, fwrite("567", 1, 3, f));
    is(7, ftell(f));
    is(0, fclose(f));
}
