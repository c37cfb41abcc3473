// Eight threads write to one file through one descriptor.
// expect: POSIX data: OPENS 1, MODE 0644, WRITES 160000, BYTES_WRITTEN 1280000, MAX_BYTE_WRITTEN 1279999,
//     SIZE_WRITE_0_100 160000, ACCESS1_ACCESS 8, ACCESS1_COUNT 160000, ACCESS2_COUNT 0, RW_SWITCHES 0,
//     FILE_NOT_ALIGNED *, MAX_WRITE_TIME_SIZE 8
#include "../common.h"
#include <pthread.h>

static int fd;

static void *work(void *number) {
    for (long i = 0; i < 20000; i++)
        is(8, pwrite(fd, buf, 8, ((long)number * 20000 + i) * 8));
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    fd = create("data");
    pthread_t threads[8];
    for (long i = 0; i < 8; i++)
        is(0, pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < 8; i++)
        is(0, pthread_join(threads[i], NULL));
}
