// No limit on records.
// expect: POSIX {0..2999}: OPENS 1, MODE 0644; w 0 7
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    for (int i = 0; i < 3000; i++) {
        char name[20];
        snprintf(name, sizeof name, "%d", i);
        int fd = create(name);
        is(7, write(fd, buf, 7));
        is(0, close(fd));
    }
}
