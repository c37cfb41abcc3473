// Threads cancelled while they wait in read(2), and at any moment of a loop of calls. Their cleanup must
// run, and what they did must not lock anybody out.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int pipes[2], cleaned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void clean(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    cleaned++;
    pthread_mutex_unlock(&lock);
}

static void *wait_in_read(void *unused) {
    char byte;
    pthread_cleanup_push(clean, unused);
    if (read(pipes[0], &byte, 1) < 0) perror("read");
    pthread_cleanup_pop(0);
    return NULL;
}

static void *call_all_the_time(void *unused) {
    char buffer[64];
    int fd = open("shared", O_RDWR);
    pthread_cleanup_push(clean, unused);
    for (;;) {
        if (pwrite(fd, "shared", 6, 0) != 6 || pread(fd, buffer, 6, 0) != 6) break;
        if (fsync(fd) || lseek(fd, 0, SEEK_SET)) break;
    }
    pthread_cleanup_pop(0);
    return NULL;
}

static void *cancel(void *(*function)(void *), int count, int pause) {
    void *result = NULL;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, function, NULL);
        usleep(pause);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED) return NULL;
    }
    return result;
}

int main(void) {
    if (pipe(pipes) || close(open("shared", O_CREAT | O_WRONLY, 0644))) return 1;
    if (cancel(wait_in_read, 20, 2000) != PTHREAD_CANCELED) return 2;
    printf("%d cleaned up\n", cleaned);
    if (cancel(call_all_the_time, 100, 500) != PTHREAD_CANCELED) return 3;
    // A thread can be cancelled before it comes to its loop; the rest goes on in any case.
    int fd = open("shared", O_RDWR);
    for (int i = 0; i < 1000; i++)
        if (pwrite(fd, "shared", 6, 0) != 6) return 4;
    puts("went on");
    return 0;
}
