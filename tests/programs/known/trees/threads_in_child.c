// A child whose first calls come from several threads at once.
// expect: POSIX {0..3} @*: OPENS 30, MODE *, WRITES 300, BYTES_WRITTEN 300
#include "../common.h"
#include <pthread.h>
#include <sys/wait.h>

static pthread_barrier_t together;

static void *work(void *name) {
    pthread_barrier_wait(&together);
    int fd = create(name);
    for (int i = 0; i < 10; i++)
        is(1, write(fd, buf, 1));
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    for (int round = 0; round < 30; round++) {
        pid_t child = ok(fork());
        if (child == 0) {
            pthread_t threads[4];
            char *names[] = {"0", "1", "2", "3"};
            pthread_barrier_init(&together, NULL, 4);
            for (int i = 0; i < 4; i++)
                is(0, pthread_create(&threads[i], NULL, work, names[i]));
            for (int i = 0; i < 4; i++)
                is(0, pthread_join(threads[i], NULL));
            _exit(0);
        }
        int status;
        is(child, waitpid(child, &status, 0));
        is(0, status);
    }
}
