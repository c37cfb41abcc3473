/* Writes outside of its regions, in one, in a thread and in a child. */
#include <fcntl.h>
#include <ioglass.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void write_bytes(const char *path, int bytes) {
    char buffer[64] = {0};
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, buffer, bytes) != bytes) _exit(9);
    close(fd);
}

static void *thread(void *path) {
    write_bytes(path, 2);
    IOGLASS_ENTER("threaded");
    write_bytes(path, 4);
    IOGLASS_LEAVE("threaded");
    return NULL;
}

int main(int count, char **words) {
    const char *path = words[1];
    int status = count > 2 ? atoi(words[2]) : 0;
    write_bytes(path, 1);
    for (int i = 0; i < 2; i++) {
        IOGLASS_REGION("main");
        write_bytes(path, 8);
    }
    pthread_t other;
    if (pthread_create(&other, NULL, thread, (void *)path) != 0) return 9;
    pthread_join(other, NULL);
    pid_t child = fork();
    if (child == 0) {
        write_bytes(path, 16);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    return status;
}
