// A timer's handler jumps out of writes, and with them out of the recorder, 2000 times; then writes 3000
// times undisturbed.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf back;

static void leave(int number) {
    (void)number;
    siglongjmp(back, 1);
}

int main(void) {
    static volatile int jumps;
    struct sigaction action = {.sa_handler = leave};
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    int fd = open("disturbed", O_WRONLY | O_CREAT, 0644);
    if (sigaction(SIGALRM, &action, NULL)) return 1;
    if (sigsetjmp(back, 1) == 0 && setitimer(ITIMER_REAL, &often, NULL)) return 1;
    while (jumps++ < 2000)
        for (;;)
            if (pwrite(fd, "d", 1, 0) != 1) return 1;
    if (setitimer(ITIMER_REAL, &never, NULL)) return 1;
    fd = open("after", O_WRONLY | O_CREAT, 0644);
    for (int i = 0; i < 3000; i++)
        if (write(fd, "a", 1) != 1) return 1;
    return 0;
}
