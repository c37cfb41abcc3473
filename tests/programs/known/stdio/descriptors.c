// Between streams and descriptors: fdopen and fileno.
// expect: POSIX opened: OPENS 1, MODE 0644; w 0 10
// expect: STDIO opened: OPENS 1, FDOPENS 1; w 10 20
// expect: STDIO both: OPENS 1, FLUSHES 1; w 0 5
// expect: POSIX both: OPENS 2, FILENOS 2; w 5 7
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("opened");
    is(10, write(fd, buf, 10));
    FILE *f = there(fdopen(fd, "w"));
    is(20, fwrite(buf, 1, 20, f));
    is(0, fclose(f));

    f = there(fopen("both", "w"));
    is(5, fwrite(buf, 1, 5, f));
    is(0, fflush(f));
    is(7, write(fileno(f), buf, 7));
    is(0, fileno(f) < 0);
    is(0, fclose(f));
}
