// For sanitisers: a program that is well, and two that are not.
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef OWN_OPTIONS
const char *__asan_default_options(void) { return "exitcode=42:verify_asan_link_order=0"; }
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static int shared;

static void *work(void *number) {
    char *block = malloc(1000), name[32];
    memset(block, 'a', 1000);
    snprintf(name, sizeof name, "file-%ld", (long)number);
    FILE *file = fopen(name, "w+");
    for (int i = 0; i < 200; i++) {
        long written = fwrite(block, 1, 1000, file) + pwrite(shared, block, 100, 100 * (long)number);
        pthread_mutex_lock(&lock);
        total += written;
        pthread_mutex_unlock(&lock);
    }
    fclose(file);
    free(block);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    shared = open("shared", O_RDWR | O_CREAT, 0644);
    pthread_t threads[4];
    for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    struct stat status;
    if (fstat(shared, &status) || close(shared)) return 1;
    printf("%ld written, %ld bytes\n", total, (long)status.st_size);
    fflush(stdout);
    volatile int bits = 40;
    if (!strcmp(argv[1], "shift")) printf("%d\n", 1 << bits);
    if (!strcmp(argv[1], "overflow")) {
        char *small = malloc(8);
        memset(small, 0, 8);
        volatile char *past = small;
        int fd = open("out", O_WRONLY | O_CREAT, 0644);
        if (write(fd, small, 8) != 8) return 1;
        return past[8];
    }
    return 0;
}
