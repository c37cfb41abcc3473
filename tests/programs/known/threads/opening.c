// Eight threads open and close one file and their own, all the time, so that numbers change hands.
// expect: POSIX shared: OPENS 4001, MODE 0644, WRITES 4000, BYTES_WRITTEN 4000, SIZE_WRITE_0_100 4000,
//     ACCESS1_ACCESS 1, ACCESS1_COUNT 4000
// expect: POSIX own{0..7}: OPENS 500, MODE 0644, WRITES 500, BYTES_WRITTEN 1000, SIZE_WRITE_0_100 500,
//     ACCESS1_ACCESS 2, ACCESS1_COUNT 500, SEQ_WRITES 0, CONSEC_WRITES 0
#include "../common.h"
#include <pthread.h>

static void *work(void *number) {
    char name[20];
    snprintf(name, sizeof name, "own%ld", (long)number);
    for (int i = 0; i < 500; i++) {
        int shared = ok(open("shared", O_WRONLY)), own = create(name);
        is(1, write(shared, buf, 1));
        is(2, write(own, buf, 2));
        is(0, close(shared));
        is(0, close(own));
    }
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    is(0, close(create("shared")));
    pthread_t threads[8];
    for (long i = 0; i < 8; i++)
        is(0, pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < 8; i++)
        is(0, pthread_join(threads[i], NULL));
}
