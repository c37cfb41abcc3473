// Formatted output: the bytes that came out.
// expect: STDIO data: OPENS 1; w 0 9, w 9 6, w 15 50, w 65 14
// expect: POSIX raw: OPENS 1, MODE 0644; w 0 8, w 8 4
#include "../common.h"
#include <stdarg.h>

static int print(FILE *f, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vfprintf(f, format, list);
    va_end(list);
    return n;
}

static int print_raw(int fd, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vdprintf(fd, format, list);
    va_end(list);
    return n;
}

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is(9, fprintf(f, "%s %d\n", "known", 42));
    is(6, print(f, "%.3f\n", 3.14159));
    is(50, fprintf(f, "%50d", 7));
    // More arguments than registers, of both kinds.
    is(14, fprintf(f, "%d%d%d%d%d%d%d%.0f%.0f%.0f%.0f%c%c%c", 1, 2, 3, 4, 5, 6, 7, 1.0, 2.0, 3.0, 4.0,
                   'a', 'b', 'c'));
    is(0, fprintf(f, "%s", ""));
    is(0, fclose(f));
    int fd = create("raw");
    is(8, dprintf(fd, "%s\n", "dprintf"));
    is(4, print_raw(fd, "%d\n", 123));
}
