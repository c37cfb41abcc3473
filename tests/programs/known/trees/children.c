// Ten children one after the other, each with a file of its own and the one that all share.
// expect: POSIX shared @0: OPENS 1, MODE 0644
// expect: POSIX shared @1: ; w 0 10
// expect: POSIX shared @2: ; w 10 10
// expect: POSIX shared @9: ; w 80 10
// expect: POSIX shared @10: ; w 90 10
// expect: POSIX shared @*: OPENS 1, MODE 0644, WRITES 10, BYTES_WRITTEN 100
// expect: POSIX own{0..9} @*: OPENS 1, MODE 0644, WRITES 1, BYTES_WRITTEN 5
#include "../common.h"
#include <sys/wait.h>

int main(int argc, char **argv) {
    go(argv);
    int shared = create("shared"), status;
    for (int i = 0; i < 10; i++) {
        pid_t child = ok(fork());
        if (child == 0) {
            char name[20];
            snprintf(name, sizeof name, "own%d", i);
            is(10, write(shared, buf, 10));
            is(5, write(create(name), buf, 5));
            return 0;
        }
        is(child, waitpid(child, &status, 0));
        is(0, status);
    }
}
