// One thread opens, another writes and closes while the next file gets a number.
// expect: POSIX data: OPENS 2001, MODE 0644, WRITES 2000, BYTES_WRITTEN 20000, SIZE_WRITE_0_100 2000,
//     ACCESS1_ACCESS 10, ACCESS1_COUNT 2000
// expect: POSIX other: OPENS 2000, MODE 0644, WRITES 2000, BYTES_WRITTEN 6000, SIZE_WRITE_0_100 2000,
//     ACCESS1_ACCESS 3, ACCESS1_COUNT 2000
#include "../common.h"
#include <pthread.h>

// Carries descriptors; never seen by the recorder's counters because it is no file.
static int ends[2];

static void *work(void *unused) {
    int fd;
    while (read(ends[0], &fd, sizeof fd) == sizeof fd) {
        is(10, write(fd, buf, 10));
        is(0, close(fd));
    }
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    is(0, close(create("data")));
    is(0, pipe(ends));
    pthread_t thread;
    is(0, pthread_create(&thread, NULL, work, NULL));
    for (int i = 0; i < 2000; i++) {
        int fd = ok(open("data", O_WRONLY));
        is(sizeof fd, write(ends[1], &fd, sizeof fd));
        int other = create("other");
        is(3, write(other, buf, 3));
        is(0, close(other));
    }
    is(0, close(ends[1]));
    is(0, pthread_join(thread, NULL));
}
