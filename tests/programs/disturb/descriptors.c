// Prints the descriptors a process has and gets: no number may be taken, or missing, because of us.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *when) {
    printf("%s:", when);
    for (int fd = 0; fd < 2048; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags >= 0) printf(" %d%s", fd, flags & FD_CLOEXEC ? "c" : "");
    }
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (readdir(folder)) count++;
    closedir(folder);
    printf(" (%d entries)\n", count);
    fflush(stdout);
}

int main(int argc, char **argv) {
    show("at start");
    if (argc > 1) return 0;
    int files[5];
    for (int i = 0; i < 5; i++) {
        files[i] = open("shared", O_RDWR | O_CREAT, 0640);
        if (write(files[i], "x", 1) != 1) return 1;
    }
    show("five files");
    close(files[1]);
    close(files[3]);
    printf("lowest free %d, then %d\n", dup(0), dup(0));
    printf("far away %d\n", fcntl(0, F_DUPFD_CLOEXEC, 700));
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(pair)) return 1;
    show("sockets and pipes");
    FILE *stream = fopen("words", "r");
    printf("stream %d\n", fileno(stream));
    fclose(stream);
    int unnamed = open(".", O_TMPFILE | O_RDWR, 0640);
    struct stat status;
    if (fstat(unnamed, &status)) return 1;
    printf("O_TMPFILE mode %o\n", status.st_mode);
    pid_t pid = fork();
    if (pid == 0) {
        if (write(files[0], "child", 5) != 5) _exit(1);
        show("child");
        execl("/proc/self/exe", argv[0], "again", NULL);
        _exit(1);
    }
    int result;
    waitpid(pid, &result, 0);
    printf("child ended with %d\n", result);
    show("at the end");
    return 0;
}
