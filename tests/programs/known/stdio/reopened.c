// freopen ends one file and begins another; standard output can become a file.
// stdout: out
// expect: STDIO <STDOUT>: OPENS 1; w 0 7
// expect: STDIO first: OPENS 1; w 0 5
// expect: STDIO second: OPENS 1; w 0 6
// expect: STDIO output: OPENS 1; w 0 8
// expect: STDIO again: OPENS 1; w 0 9, w 0 4
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("first", "w"));
    is(5, fwrite(buf, 1, 5, f));
    f = there(freopen("second", "w", f));
    is(6, fwrite(buf, 1, 6, f));
    is(0, fclose(f));
    // Without a name it is the same file, from its begin.
    f = there(fopen("again", "w"));
    is(9, fwrite(buf, 1, 9, f));
    f = there(freopen(NULL, "r+", f));
    is(4, fwrite(buf, 1, 4, f));
    is(0, fclose(f));
    is(7, printf("before\n"));
    there(freopen64("output", "w", stdout));
    is(8, printf("after it"));
}
