// The same without the stream's lock.
// expect: STDIO data: OPENS 2, FLUSHES 1; w 0 1, w 1 1, w 2 5, w 7 20, r 0 1, r 1 1, r 2 5, r 7 20
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is('a', fputc_unlocked('a', f));
    is('b', putc_unlocked('b', f));
    is(0, fputs_unlocked("cdef\n", f) == EOF);
    is(20, fwrite_unlocked(buf, 1, 20, f));
    is(0, fflush_unlocked(f));
    is(0, fclose(f));
    f = there(fopen("data", "r"));
    is('a', fgetc_unlocked(f));
    is('b', getc_unlocked(f));
    there(fgets_unlocked(buf, 100, f));
    is(20, fread_unlocked(buf, 1, 100, f));
    is(0, fread_unlocked(buf, 1, 100, f));
    is(EOF, fgetc_unlocked(f));
    is(0, fclose(f));
}
