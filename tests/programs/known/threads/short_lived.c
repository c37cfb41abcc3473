// Two thousand threads, one after the other, and the last one outlives main.
// expect: POSIX data: OPENS 1, MODE 0644; w 0 5 x2000, w 10000 7
#include "../common.h"
#include <pthread.h>

static int fd;

static void *work(void *unused) {
    is(5, write(fd, buf, 5));
    return NULL;
}

static void *last(void *main_thread) {
    is(0, pthread_join(*(pthread_t *)main_thread, NULL));
    is(7, write(fd, buf, 7));
    exit(0);
}

int main(int argc, char **argv) {
    go(argv);
    fd = create("data");
    pthread_t thread;
    for (int i = 0; i < 2000; i++) {
        is(0, pthread_create(&thread, NULL, work, NULL));
        is(0, pthread_join(thread, NULL));
    }
    static pthread_t self;
    self = pthread_self();
    is(0, pthread_create(&thread, NULL, last, &self));
    pthread_exit(NULL);
}
