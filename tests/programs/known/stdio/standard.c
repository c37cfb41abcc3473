// The three standard streams, redirected. What they write and read is STDIO's, also in the files' case.
// given: in 100
// stdin: in
// stdout: out
// stderr: err
// expect: STDIO <STDIN>: OPENS 1, READS 4, BYTES_READ 35, MAX_BYTE_READ *
// expect: STDIO <STDOUT>: OPENS 1; w 0 6, w 6 1, w 7 4, w 11 2
// expect: STDIO <STDERR>: OPENS 1; w 0 9
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(6, printf("hello\n"));
    is('x', putchar('x'));
    is(0, puts("abc") == EOF);
    is(0, fputs("de", stdout) == EOF);
    is(9, fprintf(stderr, "a problem"));
    is('a', getchar());
    is('b', getc(stdin));
    is(3, fread(buf, 1, 3, stdin));
    there(fgets(buf, 31, stdin));
}
