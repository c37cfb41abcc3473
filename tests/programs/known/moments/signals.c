// A signal handler that opens, writes and closes while the program itself does the same.
// expect: POSIX program: OPENS 1, MODE 0644, WRITES 200000, BYTES_WRITTEN 1600000, SIZE_WRITE_0_100 200000
// expect: POSIX handler: OPENS 200, MODE 0644, WRITES 200, BYTES_WRITTEN 800, SIZE_WRITE_0_100 200
// expect: POSIX cycle: OPENS 20000, MODE 0644
#include "../common.h"
#include <signal.h>
#include <sys/time.h>

static volatile sig_atomic_t hits;

static void handle(int signal) {
    int saved = errno;
    if (hits < 200) {
        int fd = create("handler");
        is(4, pwrite(fd, buf, 4, 0));
        is(0, close(fd));
        hits++;
    }
    errno = saved;
}

int main(int argc, char **argv) {
    go(argv);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    is(0, sigaction(SIGALRM, &action, NULL));
    struct itimerval often = {{0, 1000}, {0, 1000}};
    is(0, setitimer(ITIMER_REAL, &often, NULL));
    int fd = create("program");
    for (int i = 0; i < 200000; i++) {
        is(8, pwrite(fd, buf, 8, i % 100 * 8));
        if (i % 10 == 0)
            is(0, close(create("cycle")));
    }
    // However fast the machine is, the handler does its part.
    while (hits < 200)
        pause();
}
