// Writes 8 bytes COUNT times to FILE and ends as HOW says.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *how, *file;
static int count, fd;

static void write_all(const char *path) {
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0) {
        perror(path);
        exit(1);
    }
    for (int i = 0; i < count; i++)
        if (write(fd, "8 bytes\n", 8) != 8) exit(1);
}

static int is(const char *name) { return strcmp(how, name) == 0; }

// Memory is gone, and what the kernel does then is done to us.
static void run_out_of_memory(void) {
    struct rlimit limit = {64 << 20, 64 << 20};
    setrlimit(RLIMIT_AS, &limit);
    for (char *more; (more = malloc(1 << 20));) memset(more, 1, 1 << 20);
    raise(SIGKILL);
}

static volatile int bottom = 1;
static int overflow(int depth) {
    char frame[4096];
    memset(frame, depth, sizeof frame);
    return bottom ? overflow(depth + 1) + frame[depth % 4096] : 0;
}

static void *leave_main_to_others(void *unused) {
    (void)unused;
    usleep(20000);
    for (int i = 0; i < count; i++)
        if (write(fd, "8 bytes\n", 8) != 8) exit(1);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    how = argv[1], file = argv[2], count = atoi(argv[3]);
    write_all(file);
    if (is("return")) return argc > 4 ? atoi(argv[4]) : 0;
    if (is("exit")) exit(3);
    if (is("_exit")) _exit(3);
    if (is("_Exit")) _Exit(3);
    if (is("quick_exit")) quick_exit(3);
    if (is("exit_group")) syscall(SYS_exit_group, 3);
    if (is("abort")) abort();
    if (is("SIGSEGV")) *(volatile int *)8 = 1;
    if (is("SIGBUS")) raise(SIGBUS);
    if (is("SIGTERM")) raise(SIGTERM);
    if (is("SIGKILL")) raise(SIGKILL);
    if (is("SIGXCPU")) {
        struct rlimit limit = {1, 1};
        setrlimit(RLIMIT_CPU, &limit);
        for (;;) bottom = 1;
    }
    if (is("stack-overflow")) return overflow(0);
    if (is("out-of-memory")) run_out_of_memory();
    if (is("pthread_exit")) {
        pthread_t thread;
        pthread_create(&thread, NULL, leave_main_to_others, NULL);
        pthread_exit(NULL);
    }
    if (is("exec")) {
        char *next[] = {argv[0], "return", argv[4], argv[3], NULL};
        execv(argv[0], next);
    }
    if (is("exec-inherit")) {
        // The next program writes to its standard output, which is this file.
        dup2(fd, 1);
        execl("/bin/echo", "echo", "seven..", NULL);
    }
    if (is("failed-exec")) {
        char *next[] = {"nowhere", NULL};
        if (execv("/nonexistent/program", next) != -1 || errno != ENOENT) return 4;
        if (execvp("nonexistent-program", next) != -1 || errno != ENOENT) return 4;
        write_all(argv[4]);
        return 0;
    }
    return 5;
}
