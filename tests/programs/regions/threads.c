/* Eight threads whose first calls come at the same time. */
#include <ioglass.h>
#include <pthread.h>

static pthread_barrier_t barrier;

static void *work(void *unused) {
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 100; i++) {
        IOGLASS_REGION("outer");
        ioglass_enter("inner");
        ioglass_leave("inner");
    }
    return unused;
}

int main(void) {
    pthread_t threads[8];
    pthread_barrier_init(&barrier, NULL, 8);
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
    return 0;
}
