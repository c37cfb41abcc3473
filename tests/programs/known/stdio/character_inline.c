// Characters that the program takes out of the buffer and puts into it by itself, between calls of
// all kinds. No stream is closed.
// build: -O2
// given: in 20000
// expect: STDIO in: OPENS 1, SEEKS 1, READS 9005, BYTES_READ 9103, MAX_BYTE_READ 9101
// expect: STDIO out: OPENS 1, FLUSHES 1, WRITES 9005, BYTES_WRITTEN 9103, MAX_BYTE_WRITTEN 9102
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *in = there(fopen("in", "r")), *out = there(fopen("out", "w"));
    for (int i = 0; i < 5000; i++) {
        int c = i % 3 ? getc_unlocked(in) : getc(in);
        is(c, i % 5 ? putc_unlocked(c, out) : putc(c, out));
    }
    is(99, fread(buf, 1, 99, in));
    is(99, fwrite(buf, 1, 99, out));
    int c = getc_unlocked(in);
    is(c, ungetc(c, in));
    is(c, getc_unlocked(in));
    is('a' + 5100 % 26, getc(in));
    is(0, fseek(in, 5101, SEEK_SET));
    for (int i = 0; i < 3; i++)
        putc_unlocked('b', out);
    is(0, fflush(out));
    for (int i = 0; i < 4001; i++) {
        getc_unlocked(in);
        putc_unlocked('c', out);
    }
}
