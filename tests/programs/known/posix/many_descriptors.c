// Descriptors above 1024, more than a thousand at once.
// expect: POSIX {0..1199}: OPENS 1, MODE 0644; w 0 3
// expect: POSIX high: OPENS 2, DUPS 1, MODE 0644; w 0 9
#include "../common.h"
#include <sys/resource.h>

int main(int argc, char **argv) {
    go(argv);
    struct rlimit limit;
    is(0, getrlimit(RLIMIT_NOFILE, &limit));
    if (limit.rlim_max < 4000)
        return 77;
    limit.rlim_cur = limit.rlim_max;
    is(0, setrlimit(RLIMIT_NOFILE, &limit));
    int fds[1200];
    for (int i = 0; i < 1200; i++) {
        char name[20];
        snprintf(name, sizeof name, "%d", i);
        fds[i] = create(name);
    }
    for (int i = 0; i < 1200; i++)
        is(3, write(fds[i], buf, 3));
    for (int i = 0; i < 1200; i++)
        is(0, close(fds[i]));
    int highest = limit.rlim_max < 1000000 ? limit.rlim_max - 1 : 999999;
    int fd = create("high");
    is(highest, dup2(fd, highest));
    is(9, write(highest, buf, 9));
}
