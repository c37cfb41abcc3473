// A timer interrupts reads and writes all the time; its handler does I/O of its own and returns, or jumps
// out of the call it interrupted. Everything must add up, and nothing may hang.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t hits, jumping, armed;
static sigjmp_buf back;
static int side;

static void on_alarm(int number) {
    (void)number;
    hits++;
    int fd = open("handled", O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || write(fd, "x", 1) != 1 || close(fd)) _exit(9);
    if (pwrite(side, "y", 1, hits % 100) != 1) _exit(9);
    if (jumping && armed) {
        armed = 0;
        siglongjmp(back, 1);
    }
}

static void every(int microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv) {
    alarm(0);
    jumping = argc > 1 && !strcmp(argv[1], "jump");
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    side = open("side", O_RDWR | O_CREAT, 0644);
    int fd = open("main", O_RDWR | O_CREAT, 0644);
    static volatile int jumps;
    every(300);
    while (hits < 2000) {
        if (sigsetjmp(back, 1)) {
            jumps++;
            // Whoever jumps out of open() leaves the file open.
            close_range(fd + 1, ~0U, 0);
        }
        armed = 1;
        for (int i = 0; i < 200 && hits < 2000; i++) {
            char byte = 'm';
            if (pwrite(fd, &byte, 1, i) != 1 || pread(fd, &byte, 1, i) != 1) return 1;
            int other = open("main", O_RDONLY);
            if (other < 0 || close(other)) return 1;
        }
        armed = 0;
    }
    every(0);
    for (int i = 0; i < 200; i++)
        if (pwrite(fd, "m", 1, i) != 1) return 1;
    struct stat handled, whole;
    if (stat("handled", &handled) || stat("main", &whole)) return 1;
    printf("%s, %s, %ld bytes\n", handled.st_size == hits ? "every hit written" : "hits lost",
           jumping ? jumps > 0 ? "jumped" : "never jumped" : "returned", (long)whole.st_size);
    unlink("handled"), unlink("side");
    return 0;
}
