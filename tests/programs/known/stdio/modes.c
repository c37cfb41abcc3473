// Every mode. What is opened to append is written at its end.
// given: r 100
// given: a 100
// given: r+ 100
// given: a+ 100
// expect: STDIO r: OPENS 1; r 0 10
// expect: STDIO w: OPENS 1; w 0 11
// expect: STDIO a: OPENS 1; w 100 12, w 112 12
// expect: STDIO r+: OPENS 1, SEEKS 2; r 0 13, w 50 13, r 0 100
// expect: STDIO w+: OPENS 1, SEEKS 1; w 0 14, r 0 14
// expect: STDIO a+: OPENS 1, SEEKS 2; r 0 15, w 100 15, r 10 20
// expect: STDIO x: OPENS 1; w 0 16
// absent: STDIO nothing
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("r", "r"));
    is(10, fread(buf, 1, 10, f));
    is(0, fclose(f));
    f = there(fopen("w", "w"));
    is(11, fwrite(buf, 1, 11, f));
    is(0, fclose(f));
    f = there(fopen("a", "a"));
    is(12, fwrite(buf, 1, 12, f));
    is(12, fwrite(buf, 1, 12, f));
    is(0, fclose(f));
    f = there(fopen("r+", "r+"));
    is(13, fread(buf, 1, 13, f));
    is(0, fseek(f, 50, SEEK_SET));
    is(13, fwrite(buf, 1, 13, f));
    is(0, fseek(f, 0, SEEK_SET));
    is(100, fread(buf, 1, 200, f));
    is(0, fclose(f));
    f = there(fopen("w+", "w+"));
    is(14, fwrite(buf, 1, 14, f));
    rewind(f);
    is(14, fread(buf, 1, 200, f));
    is(0, fclose(f));
    f = there(fopen("a+", "a+"));
    is(15, fread(buf, 1, 15, f));
    is(0, fseek(f, 0, SEEK_SET));
    is(15, fwrite(buf, 1, 15, f));
    is(0, fseek(f, 10, SEEK_SET));
    is(20, fread(buf, 1, 20, f));
    is(0, fclose(f));
    f = there(fopen("x", "wx"));
    is(16, fwrite(buf, 1, 16, f));
    is(0, fclose(f));
    is(0, fopen("x", "wx") != NULL);
    is(0, fopen("nothing", "r") != NULL);
}
