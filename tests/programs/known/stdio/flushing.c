// Flushing and buffering are no writes.
// expect: STDIO data: OPENS 1, FLUSHES 2; w 0 10, w 10 10, w 20 10
// expect: STDIO full: OPENS 1; w 0 10 x10
// expect: STDIO none: OPENS 1; w 0 1 x5
// expect: STDIO all: OPENS 1, FLUSHES *; w 0 3
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    for (int i = 0; i < 3; i++) {
        is(10, fwrite(buf, 1, 10, f));
        if (i < 2)
            is(0, fflush(f));
    }
    is(0, fclose(f));
    static char room[64];
    f = there(fopen("full", "w"));
    is(0, setvbuf(f, room, _IOFBF, sizeof room));
    for (int i = 0; i < 10; i++)
        is(10, fwrite(buf, 1, 10, f));
    is(0, fclose(f));
    f = there(fopen("none", "w"));
    setbuf(f, NULL);
    for (int i = 0; i < 5; i++)
        is('x', putc('x', f));
    is(0, fclose(f));
    f = there(fopen("all", "w"));
    is(3, fwrite(buf, 1, 3, f));
    is(0, fflush(NULL));
    is(0, fclose(f));
}
