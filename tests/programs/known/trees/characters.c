// A fork with characters in buffers: each process counts those that it has put there.
// build: -O2
// given: in 9000
// expect: STDIO out @0: OPENS 1; w 0 1 x150
// expect: STDIO out @1: WRITES 5000, BYTES_WRITTEN 5000, MAX_BYTE_WRITTEN *
// expect: STDIO in @0: OPENS 1; r 0 1 x150
// expect: STDIO in @1: READS 5000, BYTES_READ 5000, MAX_BYTE_READ *
#include "../common.h"
#include <sys/wait.h>

static FILE *out, *in;

static void both(int count) {
    for (int i = 0; i < count; i++) {
        is('x', i % 2 ? putc('x', out) : putc_unlocked('x', out));
        is(0, (i % 3 ? getc(in) : getc_unlocked(in)) == EOF);
    }
}

int main(int argc, char **argv) {
    go(argv);
    out = there(fopen("out", "w")), in = there(fopen("in", "r"));
    both(101);
    pid_t child = ok(fork());
    if (child == 0) {
        both(5000);
        _exit(0);
    }
    int status;
    is(child, waitpid(child, &status, 0));
    is(0, status);
    both(49);
    is(0, fclose(out));
    is(0, fclose(in));
}
