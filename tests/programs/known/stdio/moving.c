// Moving about: seeks count, asking for the position does not.
// given: data 1000
// expect: STDIO data: OPENS 1, SEEKS 7; r 0 10, r 100 10, r 900 10, r 920 10, r 500 10, r 110 10, r 0 10
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "r"));
    fpos_t place;
    is(10, fread(buf, 1, 10, f));
    is(0, fseek(f, 100, SEEK_SET));
    is(10, fread(buf, 1, 10, f));
    is(110, ftell(f));
    is(0, fgetpos(f, &place));
    is(0, fseeko(f, -100, SEEK_END));
    is(10, fread(buf, 1, 10, f));
    is(0, fseeko64(f, 10, SEEK_CUR));
    is(10, fread(buf, 1, 10, f));
    is(930, ftello(f));
    is(0, fseek(f, 500, SEEK_SET));
    is(10, fread(buf, 1, 10, f));
    is(0, fsetpos(f, &place));
    is(10, fread(buf, 1, 10, f));
    rewind(f);
    is(10, fread(buf, 1, 10, f));
    is(-1, fseek(f, -1, SEEK_SET));
    is(0, fseek(f, 0, SEEK_END));
    is(0, fread(buf, 1, 10, f));
    is(0, fclose(f));
}
