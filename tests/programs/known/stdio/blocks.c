// fread and fwrite: the items that were moved, none of it at the end of the file.
// expect: STDIO data: OPENS 2; w 0 100, w 100 50, r 0 60, r 60 84
// expect: STDIO empty: OPENS 2
// expect: STDIO large: OPENS 2; w 0 3000000, w 3000000 1, r 0 2000000, r 2000000 1000001
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is(100, fwrite(buf, 1, 100, f));
    is(5, fwrite(buf, 10, 5, f));
    is(0, fwrite(buf, 0, 5, f));
    is(0, fwrite(buf, 5, 0, f));
    is(0, fclose(f));
    f = there(fopen64("data", "r"));
    is(60, fread(buf, 1, 60, f));
    // Ninety bytes are left: twelve items and a rest.
    is(12, fread(buf, 7, 20, f));
    is(0, fread(buf, 1, 10, f));
    is(0, fwrite(buf, 1, 10, f));
    is(0, fclose(f));

    is(0, fclose(there(fopen("empty", "w"))));
    f = there(fopen("empty", "r"));
    is(0, fread(buf, 1, 10, f));
    is(0, fclose(f));

    // More than the stream's buffer.
    f = there(fopen("large", "w"));
    is(3000000, fwrite(buf, 1, 3000000, f));
    is(1, fwrite(buf, 1, 1, f));
    is(0, fclose(f));
    f = there(fopen("large", "r"));
    is(2000000, fread(buf, 1, 2000000, f));
    is(1000001, fread(buf, 1, 4000000, f));
    is(0, fclose(f));
}
