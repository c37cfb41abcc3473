/* A timer's handler enters and leaves while the program allocates. */
#define _GNU_SOURCE
#include <ioglass.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static volatile sig_atomic_t handled;

static void handle(int signal) {
    (void)signal;
    IOGLASS_REGION("handler");
    ioglass_count("signals", 1);
    handled++;
}

int main(void) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 200}, {0, 200}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    void *kept[64] = {0};
    for (unsigned i = 0; handled < 500; i++) {
        free(kept[i % 64]);
        kept[i % 64] = malloc(1000 + i % 5000);
    }
    return 0;
}
