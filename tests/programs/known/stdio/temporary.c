// A file without a name does not end up in the record of another.
// expect: STDIO data: OPENS 1; w 0 3
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *t = there(tmpfile()), *t64 = there(tmpfile64());
    is(1000, fwrite(buf, 1, 1000, t));
    is(1000, fwrite(buf, 1, 1000, t64));
    rewind(t);
    is(1000, fread(buf, 1, 2000, t));
    FILE *f = there(fopen("data", "w"));
    is(3, fwrite(buf, 1, 3, f));
    is(0, fclose(t));
    is(0, fclose(t64));
    is(0, fclose(f));
}
