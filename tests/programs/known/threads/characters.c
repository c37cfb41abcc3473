// Before there are threads, four threads on one stream, each on its own, and when they are gone.
// given: in 100000
// expect: STDIO shared: OPENS 1; w 0 1 x40100
// expect: STDIO in: OPENS 1; r 0 1 x40100
// expect: STDIO own{0..3}: OPENS 1; w 0 1 x5000
#include "../common.h"
#include <pthread.h>

static FILE *shared, *in;

static void *work(void *number) {
    char name[20];
    snprintf(name, sizeof name, "own%ld", (long)number);
    FILE *own = there(fopen(name, "w"));
    for (int i = 0; i < 5000; i++) {
        is('s', putc('s', shared));
        is(0, getc(in) == EOF);
        is('o', i % 2 ? fputc('o', own) : fputc_unlocked('o', own));
    }
    flockfile(shared);
    for (int i = 0; i < 5000; i++)
        is('u', putc_unlocked('u', shared));
    funlockfile(shared);
    flockfile(in);
    for (int i = 0; i < 5000; i++)
        is(0, getc_unlocked(in) == EOF);
    funlockfile(in);
    is(0, fclose(own));
    return NULL;
}

static void both(void) {
    for (int i = 0; i < 50; i++) {
        is('b', putc('b', shared));
        is(0, getc(in) == EOF);
    }
}

int main(int argc, char **argv) {
    go(argv);
    shared = there(fopen("shared", "w"));
    in = there(fopen("in", "r"));
    both();
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        is(0, pthread_create(&threads[i], NULL, work, (void *)i));
    for (int i = 0; i < 4; i++)
        is(0, pthread_join(threads[i], NULL));
    both();
    is(0, fclose(shared));
    is(0, fclose(in));
}
