// One character, one line: each call is an access, and none at the end of the file.
// expect: STDIO data: OPENS 2; w 0 1, w 1 1, w 2 1, w 3 6, w 9 1, w 10 4, r 0 1, r 1 1, r 2 1, r 3 6, r 9 1, r 10 4
// given: lines 100
// expect: STDIO lines: OPENS 1; r 0 9, r 9 10, r 19 5, r 24 76
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is('a', fputc('a', f));
    is('b', putc('b', f));
    is('c', putc('c', f));
    is(0, fputs("defgh\n", f) == EOF);
    is('\n', fputc('\n', f));
    is(0, putw(7, f));
    is(0, fclose(f));
    f = there(fopen("data", "r"));
    is('a', fgetc(f));
    is('b', getc(f));
    is('c', getc(f));
    there(fgets(buf, 100, f));
    is(6, strlen(buf));
    is('\n', getc(f));
    is(7, getw(f));
    is(EOF, fgetc(f));
    is(EOF, getc(f));
    is(0, fgets(buf, 100, f) != NULL);
    is(0, fclose(f));

    f = there(fopen("lines", "r"));
    there(fgets(buf, 10, f));
    there(fgets(buf, 11, f));
    char *line = NULL;
    size_t size = 0;
    // "tuvwx", then all the rest, because there is no such end.
    is(5, getdelim(&line, &size, 'x', f));
    is(76, getline(&line, &size, f));
    is(-1, getline(&line, &size, f));
    is(-1, getdelim(&line, &size, 'x', f));
    free(line);
    is(0, fclose(f));
}
