// Eight threads, each with its own file.
// expect: POSIX data{0..7}: OPENS 1, MODE 0644; w 0 8 x20000, r 0 16 x100
#include "../common.h"
#include <pthread.h>

static void *work(void *number) {
    char name[20];
    snprintf(name, sizeof name, "data%ld", (long)number);
    int fd = create(name);
    for (long i = 0; i < 20000; i++)
        is(8, write(fd, buf, 8));
    for (long i = 0; i < 100; i++)
        is(16, pread(fd, buf, 16, i * 16));
    is(0, close(fd));
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    pthread_t threads[8];
    for (long i = 0; i < 8; i++)
        is(0, pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < 8; i++)
        is(0, pthread_join(threads[i], NULL));
}
