// freopen without a name changes the mode, not the file.
// given: data 50
// expect: STDIO data: OPENS *, SEEKS 0, READS 1, BYTES_READ 10, WRITES 1, BYTES_WRITTEN 7
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "r"));
    is(10, fread(buf, 1, 10, f));
    f = there(freopen(NULL, "a", f));
    is(7, fwrite(buf, 1, 7, f));
    is(0, fclose(f));
}
