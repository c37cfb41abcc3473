// A character pushed back is read again.
// given: data 10
// expect: STDIO data: OPENS 1, READS 4, BYTES_READ 4, MAX_BYTE_READ *
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "r"));
    is('a', getc(f));
    is('b', getc(f));
    is('b', ungetc('b', f));
    is('b', getc(f));
    is('c', fgetc(f));
    is(0, fclose(f));
}
