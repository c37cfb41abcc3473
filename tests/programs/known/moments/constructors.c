// Before main and after it, in the program and in a library of it.
// library: moments/lib/early.c
// expect: POSIX library: OPENS 1, MODE 0644; w 0 10, w 10 5, w 15 20
// expect: POSIX first: OPENS 1, MODE 0644; w 0 1, w 1 5
// expect: POSIX second: OPENS 1, MODE 0644; w 0 2
// expect: STDIO second: OPENS 1, FDOPENS 1; w 2 3
// expect: POSIX exit: OPENS 1, MODE 0644; w 0 4
// expect: STDIO exit: OPENS 1, FDOPENS 1; w 4 3
#include "../common.h"

int early(void);

static int first;

__attribute__((constructor(101))) static void begin(int argc, char **argv) {
    go(argv);
    first = create("first");
    is(1, write(first, buf, 1));
}

static void both(const char *name, int bytes) {
    int fd = create(name);
    is(bytes, write(fd, buf, bytes));
    FILE *f = there(fdopen(fd, "w"));
    is(3, fprintf(f, "abc"));
    is(0, fclose(f));
}

__attribute__((constructor)) static void begin_more(void) {
    both("second", 2);
}

static void at_exit(void) {
    both("exit", 4);
}

__attribute__((destructor)) static void end(void) {
    is(5, write(first, buf, 5));
}

int main(int argc, char **argv) {
    is(0, atexit(at_exit));
    is(5, write(early(), buf, 5));
}
