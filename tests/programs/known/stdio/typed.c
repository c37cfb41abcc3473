// scanf from a file on standard input, print of what was there.
// given: in 26
// stdin: in
// expect: STDIO <STDIN>: OPENS 1, READS 2, BYTES_READ *, MAX_BYTE_READ *
// expect: STDIO <STDERR>: OPENS 1; w 0 5
// stderr: err
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    char five[6], six[7];
    is(1, scanf("%5s", five));
    is(1, scanf("%6s", six));
    is(5, fprintf(stderr, "%s", five));
}
