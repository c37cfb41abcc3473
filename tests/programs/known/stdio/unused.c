// Standard streams that nobody uses have no record.
// expect: STDIO data: OPENS 1; w 0 1
// absent: STDIO <STDIN>
// absent: STDIO <STDOUT>
// absent: STDIO <STDERR>
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    is('x', putc('x', f));
    is(0, fclose(f));
    fflush(stdout);
}
