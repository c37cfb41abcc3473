/* Many threads in the same regions, some of which fork. */
#include <ioglass.h>

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static ioglass_context context;

static void *work(void *argument) {
    ioglass_attach(context);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 50; i++) {
            char name[32];
            snprintf(name, sizeof name, "region %d", i);
            ioglass_enter(name);
            ioglass_count("calls", 1);
            ioglass_span span = ioglass_start("span");
            IOGLASS_ENTER("inner");
            IOGLASS_LEAVE("inner");
            ioglass_stop(span);
            ioglass_leave(name);
        }
        if (round % 50 == 0) {
            pid_t child = fork();
            if (child == 0) {
                IOGLASS_ENTER("child");
                ioglass_enter("of its own");
                ioglass_leave("of its own");
                IOGLASS_LEAVE("child");
                _exit(0);
            }
            waitpid(child, NULL, 0);
        }
    }
    ioglass_detach();
    return argument;
}

int main(void) {
    IOGLASS_REGION("main");
    context = ioglass_here();
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}
