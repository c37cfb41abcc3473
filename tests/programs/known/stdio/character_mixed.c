// Characters among calls of all other kinds, on a stream that reads and writes.
// given: data 10000
// expect: STDIO data: OPENS 1, FLUSHES 1, SEEKS 5, READS 211, BYTES_READ 317, MAX_BYTE_READ *,
//     WRITES 104, BYTES_WRITTEN 133, MAX_BYTE_WRITTEN 9099
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "r+"));
    for (int i = 0; i < 100; i++)
        is('a' + i % 26, getc(f));
    is(10, fread(buf, 1, 10, f));
    is('a' + 110 % 26, fgetc(f));
    there(fgets(buf, 20, f));
    is('a' + 130 % 26, getc_unlocked(f));
    // Pushed back, three deep, and one that was never there.
    for (int i = 0; i < 3; i++)
        is('A' + i, ungetc('A' + i, f));
    for (int i = 2; i >= 0; i--)
        is('A' + i, getc(f));
    is('a' + 131 % 26, getc(f));
    is(0, fseek(f, 9000, SEEK_SET));
    is('a' + 9000 % 26, getc(f));
    is(0, fseek(f, 0, SEEK_CUR));
    is('x', putc('x', f));
    is(30, fwrite(buf, 1, 30, f));
    is(0, fflush(NULL));
    is('y', fputc('y', f));
    is(0, fflush(f));
    is('z', putc_unlocked('z', f));
    is(0, fseek(f, 9000, SEEK_SET));
    for (int i = 0; i < 100; i++)
        is(0, getc(f) == EOF);
    is(80, fread(buf, 1, 80, f));
    rewind(f);
    is('a', getc(f));
    is(0, fseek(f, 9000, SEEK_SET));
    for (int i = 0; i < 100; i++)
        is('p', putc('p', f));
    is(0, fclose(f));
}
