// Eight threads read numbers of one stream, and of their own.
// expect: STDIO shared: OPENS 2, READS 20000, BYTES_READ 139999, MAX_BYTE_READ 139998, WRITES *, BYTES_WRITTEN *,
//     MAX_BYTE_WRITTEN *
// expect: STDIO own{0..7}: OPENS 2, READS 1000, BYTES_READ 6999, MAX_BYTE_READ 6998, WRITES *, BYTES_WRITTEN *,
//     MAX_BYTE_WRITTEN *
#include "../common.h"
#include <pthread.h>

static FILE *shared;

// As many numbers of six digits, without a newline after the last.
static FILE *numbers(const char *name, int count) {
    FILE *f = there(fopen(name, "w"));
    for (int i = 0; i < count; i++)
        is(0, fprintf(f, "%s%06d", i ? "\n" : "", i) < 0);
    is(0, fclose(f));
    return there(fopen(name, "r"));
}

static void *work(void *thread) {
    char name[20];
    snprintf(name, sizeof name, "own%ld", (long)thread);
    FILE *own = numbers(name, 1000);
    long read = 0, number;
    for (int i = 0; i < 1000; i++) {
        is(1, fscanf(own, "%ld", &number));
        is(i, number);
    }
    is(0, fclose(own));
    while (fscanf(shared, "%ld", &number) == 1)
        read++;
    return (void *)read;
}

int main(int argc, char **argv) {
    go(argv);
    shared = numbers("shared", 20000);
    pthread_t threads[8];
    long all = 0;
    for (long i = 0; i < 8; i++)
        is(0, pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < 8; i++) {
        void *read;
        is(0, pthread_join(threads[i], &read));
        all += (long)read;
    }
    is(20000, all);
    is(0, fclose(shared));
}
