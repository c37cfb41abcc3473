// Appends single bytes to FILE until a timer kills it after MICROSECONDS (0: never).
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0) return 1;
    long after = atol(argv[2]);
    if (after) {
        struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
        struct itimerspec when = {.it_value = {after / 1000000, after % 1000000 * 1000}};
        timer_t timer;
        if (timer_create(CLOCK_MONOTONIC, &kill, &timer)) return 1;
        if (timer_settime(timer, 0, &when, NULL)) return 1;
    }
    for (;;)
        if (write(fd, "x", 1) != 1) return 1;
}
