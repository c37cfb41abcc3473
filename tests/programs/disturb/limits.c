// Limits as a process sees, sets and meets them.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *name, int which) {
    struct rlimit limit;
    if (getrlimit(which, &limit)) return;
    printf("%s %lld %lld\n", name, (long long)limit.rlim_cur, (long long)limit.rlim_max);
}

static void set(int which, rlim_t value) {
    struct rlimit limit = {value, value};
    printf("set %d\n", setrlimit(which, &limit));
}

static void on_limit(int number) {
    if (number == SIGXFSZ && write(1, "SIGXFSZ\n", 8) < 0) _exit(1);
}

int main(void) {
    setvbuf(stdout, NULL, _IONBF, 0);
    show("as", RLIMIT_AS), show("nofile", RLIMIT_NOFILE), show("fsize", RLIMIT_FSIZE);
    show("memlock", RLIMIT_MEMLOCK), show("core", RLIMIT_CORE), show("stack", RLIMIT_STACK);
    set(RLIMIT_NOFILE, 16);
    int opened = 0;
    while (open("words", O_RDONLY) >= 0) opened++;
    printf("%d more opened, then %d\n", opened, errno);
    close(15);
    close(14);
    signal(SIGXFSZ, on_limit);
    set(RLIMIT_FSIZE, 5000);
    int fd = open("limited", O_WRONLY | O_CREAT, 0644);
    char block[4096] = "";
    for (int i = 0; i < 3; i++) {
        errno = 0;
        int written = write(fd, block, sizeof block);
        printf("written %d, errno %d\n", written, errno);
    }
    pid_t pid = fork();
    if (pid == 0) {
        int more = open("child", O_WRONLY | O_CREAT, 0644);
        _exit(write(more, block, sizeof block) != sizeof block);
    }
    int status;
    waitpid(pid, &status, 0);
    printf("child %d\n", status);
    set(RLIMIT_NPROC, 1);
    return 0;
}
