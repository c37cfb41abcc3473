// A thread cancelled inside read: its cleanup handler runs, and writes.
// expect: POSIX data: OPENS 1, MODE 0644; w 0 5
#include "../common.h"
#include <pthread.h>

static int ends[2], fd, cleaned;

static void cleanup(void *unused) {
    is(5, write(fd, buf, 5));
    cleaned = 1;
}

static void *work(void *unused) {
    pthread_cleanup_push(cleanup, NULL);
    // Nothing ever comes.
    read(ends[0], buf, 1);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    fd = create("data");
    is(0, pipe(ends));
    pthread_t thread;
    void *result;
    is(0, pthread_create(&thread, NULL, work, NULL));
    usleep(20000);
    is(0, pthread_cancel(thread));
    is(0, pthread_join(thread, &result));
    is(1, result == PTHREAD_CANCELED && cleaned);
}
