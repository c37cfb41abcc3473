// What a distribution's compiler flags make of it: __fprintf_chk, __fgets_chk, __fread_chk ...
// build: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
// stdout: out
// expect: STDIO data: OPENS 2; w 0 9, w 9 7, r 0 9, r 9 4, r 13 2
// expect: STDIO <STDOUT>: OPENS 1; w 0 5, w 5 6
// expect: POSIX raw: OPENS 1, MODE 0644; w 0 8
#include "../common.h"
#include <stdarg.h>

static __attribute__((noinline)) int print(FILE *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = f ? vfprintf(f, format, list) : vprintf(format, list);
    va_end(list);
    return n;
}

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is(9, fprintf(f, "%s %d\n", "known", 42));
    is(7, print(f, "%s\n", "second"));
    is(0, fclose(f));
    is(5, printf("%d\n", 1234));
    is(6, print(NULL, "%d\n", 12345));
    f = there(fopen("data", "r"));
    char small[20];
    volatile int twenty = 20, five = 5, two = 2;
    there(fgets(small, twenty, f));
    there(fgets_unlocked(small, five, f));
    is(two, fread(small, 1, two, f));
    is(0, fclose(f));
    is(8, dprintf(create("raw"), "%s\n", "dprintf"));
}
