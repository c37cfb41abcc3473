// Becomes a daemon that writes 3 times to `daemon`, says so in `ready`, and goes on when `go` appears:
// 4 more writes, then it ends and leaves `ended`. Gives up after a minute.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void repeat(int fd, int count) {
    for (int i = 0; i < count; i++)
        if (write(fd, "8 bytes\n", 8) != 8) _exit(1);
}

static void touch(const char *path, const char *text) {
    FILE *file = fopen("new", "w");
    if (!file || fputs(text, file) < 0 || fclose(file) || rename("new", path)) _exit(1);
}

static int exists(const char *path) {
    struct stat unused;
    return stat(path, &unused) == 0;
}

static void wait_until(const char *path) {
    for (int i = 0; !exists(path); i++) {
        if (i == 6000) _exit(1);
        usleep(10000);
    }
}

int main(void) {
    pid_t pid = fork();
    if (pid) {
        wait_until("ready");
        return waitpid(pid, NULL, 0) != pid;
    }
    setsid();
    if (fork()) _exit(0);
    for (int fd = 0; fd < 3; fd++) close(fd);
    open("/dev/null", O_RDWR);
    if (dup(0) < 0 || dup(0) < 0) _exit(1);
    int fd = open("daemon", O_WRONLY | O_CREAT | O_APPEND, 0644);
    repeat(fd, 3);
    char text[32];
    snprintf(text, sizeof text, "%d\n", getpid());
    touch("ready", text);
    wait_until("go");
    repeat(fd, 4);
    touch("ended", "");
    return 0;
}
