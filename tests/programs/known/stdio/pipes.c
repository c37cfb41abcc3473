// A pipe to another program is not a file.
// expect: STDIO data: OPENS 1; w 0 4
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is(4, fprintf(f, "data"));
    is(0, fclose(f));
    FILE *p = there(popen("exit 0", "r"));
    is(0, fread(buf, 1, 10, p));
    is(0, pclose(p));
}
