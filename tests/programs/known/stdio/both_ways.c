// Three streams of one file, one record.
// expect: STDIO data: OPENS 3; w 0 10, w 10 10, r 0 15, r 0 20
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *out = there(fopen("data", "w"));
    is(10, fwrite(buf, 1, 10, out));
    is(10, fwrite(buf, 1, 10, out));
    is(0, fclose(out));
    FILE *one = there(fopen("./data", "r")), *two = there(fopen("data", "r"));
    is(15, fread(buf, 1, 15, one));
    is(20, fread(buf, 1, 20, two));
    is(0, fclose(one));
    is(0, fclose(two));
}
