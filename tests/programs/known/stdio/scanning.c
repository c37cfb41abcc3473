// Formatted input: the bytes that it took.
// expect: STDIO data: OPENS 2; w 0 20, r 0 3, r 3 4, r 7 7, r 14 6
#include "../common.h"
#include <stdarg.h>

static int scan(FILE *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vfscanf(f, format, list);
    va_end(list);
    return n;
}

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is(0, fputs("123 456 seven 8.50\n\n", f) == EOF);
    is(0, fclose(f));
    f = there(fopen("data", "r"));
    int number;
    char word[20];
    double real;
    is(1, fscanf(f, "%d", &number));
    is(123, number);
    is(1, scan(f, "%d", &number));
    is(456, number);
    is(1, fscanf(f, " %19s ", word));
    is(1, fscanf(f, "%lf\n", &real));
    is(0, fclose(f));
}
