// _exit in the midst of buffers.
// build: -O2
// given: in 9000
// expect: STDIO in: OPENS 1; r 0 1 x100
// expect: STDIO out: OPENS 1; w 0 1 x100
// expect: STDIO calls: OPENS 1; w 0 1 x100
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *in = there(fopen("in", "r")), *out = there(fopen("out", "w")),
         *calls = there(fopen("calls", "w"));
    for (int i = 0; i < 100; i++) {
        int c = getc_unlocked(in);
        putc_unlocked(c, out);
        is(c, putc(c, calls));
    }
    _exit(0);
}
