// More threads at once than have a place of their own in the capture; where there cannot be so many, the
// first does the work of the others.
// build: -pthread
// expect: POSIX data: OPENS 1, MODE 0644, WRITES 23000, BYTES_WRITTEN 23000
#include "../common.h"
#include <pthread.h>

enum { THREADS = 4600 };

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int fd;

static void *work(void *nothing) {
    for (int i = 0; i < 5; i++)
        is(1, pwrite(fd, buf, 1, 0));
    // Nobody leaves before everybody is there.
    pthread_mutex_lock(&door);
    pthread_mutex_unlock(&door);
    return nothing;
}

int main(int argc, char **argv) {
    go(argv);
    static pthread_t threads[THREADS];
    pthread_attr_t small;
    int count = 0;
    fd = create("data");
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    pthread_mutex_lock(&door);
    while (count < THREADS && !pthread_create(&threads[count], &small, work, NULL))
        count++;
    pthread_mutex_unlock(&door);
    for (int i = count; i < THREADS; i++)
        work(NULL);
    for (int i = 0; i < count; i++)
        is(0, pthread_join(threads[i], NULL));
}
