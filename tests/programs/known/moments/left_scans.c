// Calls of scanf that do not return: a thread is cancelled in them, or a signal handler jumps out of
// them. The stream is left to the others, as it was.
// expect: STDIO <STDIN>: OPENS 1, READS 5, BYTES_READ 12.., MAX_BYTE_READ *
// expect: STDIO data: OPENS 2; w 0 20, r 0 2, r 2 3
#include "../common.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>

static int ends[2];
static sigjmp_buf before;
static volatile int waits;

static void send(const char *text) {
    is(strlen(text), write(ends[1], text, strlen(text)));
}

static int next(void) {
    int number;
    is(1, scanf("%d", &number));
    return number;
}

static void jump(int signal) {
    siglongjmp(before, 1);
}

// Waits in scanf until it is left.
static void wait_for_more(void) {
    int number;
    scanf(" %d", &number);
}

static void *work(void *unused) {
    is(43, next());
    waits = 1;
    wait_for_more();
    return NULL;
}

int main(int argc, char **argv) {
    go(argv);
    is(0, pipe(ends));
    is(0, dup2(ends[0], 0));
    signal(SIGALRM, jump);
    send("42 ");
    is(42, next());
    if (sigsetjmp(before, 1) == 0) {
        ualarm(20000, 0);
        wait_for_more();
    }
    is(-1, ftell(stdin));

    send("43 ");
    pthread_t thread;
    void *result;
    is(0, pthread_create(&thread, NULL, work, NULL));
    while (!waits)
        usleep(1000);
    usleep(20000);
    is(0, pthread_cancel(thread));
    is(0, pthread_join(thread, &result));
    is(1, result == PTHREAD_CANCELED);
    is(-1, ftell(stdin));
    send("44 45\n46\n");
    is(44, next());
    is(45, next());
    is(46, next());

    // The lock of the stream was left too.
    is(0, ftrylockfile(stdin));
    FILE *f = there(fopen("data", "w"));
    is(0, fputs("11 22 33 44 55 66 77", f) == EOF);
    is(0, fclose(f));
    f = there(fopen("data", "r"));
    int number;
    is(1, fscanf(f, "%d", &number));
    is(1, fscanf(f, "%d", &number));
    is(22, number);
    is(5, ftell(f));
    is(0, fclose(f));
}
