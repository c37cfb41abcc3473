// Standard streams that are pipes: they have bytes but no place.
// expect: STDIO <STDIN>: OPENS 1, READS 3, BYTES_READ *, MAX_BYTE_READ *
// expect: STDIO <STDOUT>: OPENS 1, WRITES 2, BYTES_WRITTEN 9, MAX_BYTE_WRITTEN *
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int in[2], out[2], number;
    is(0, pipe(in));
    is(0, pipe(out));
    is(8, write(in[1], "42 line\n", 8));
    is(0, close(in[1]));
    is(0, dup2(in[0], 0));
    is(1, dup2(out[1], 1));
    is(1, scanf("%d", &number));
    is(42, number);
    is(' ', getchar());
    there(fgets(buf, 100, stdin));
    is(EOF, getchar());
    is(4, printf("four"));
    is(0, puts("five") == EOF);
}
