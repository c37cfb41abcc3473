// Eight threads print to one stream and to their own.
// expect: STDIO shared: OPENS 1, WRITES 40000, BYTES_WRITTEN 320000, MAX_BYTE_WRITTEN 319999
// expect: STDIO own{0..7}: OPENS 1, FLUSHES 5000; w 0 4 x5000
#include "../common.h"
#include <pthread.h>

static FILE *shared;

static void *work(void *number) {
    char name[20];
    snprintf(name, sizeof name, "own%ld", (long)number);
    FILE *own = there(fopen(name, "w"));
    for (int i = 0; i < 5000; i++) {
        is(8, fprintf(shared, "%ld %05d\n", (long)number, i));
        is(4, fwrite(buf, 1, 4, own));
        is(0, fflush(own));
    }
    is(0, fclose(own));
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    shared = there(fopen("shared", "w"));
    pthread_t threads[8];
    for (long i = 0; i < 8; i++)
        is(0, pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < 8; i++)
        is(0, pthread_join(threads[i], NULL));
    is(0, fclose(shared));
}
