// Processes that start processes in every way there is, and all of them write.
//
// family HOW: in the current directory. A parent writes to `shared` before, a child to `shared`
// (where it inherits it) and to `child`, the parent to `shared` and `parent` after the child has
// ended.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void repeat(int fd, int count) {
    for (int i = 0; i < count; i++)
        if (write(fd, "8 bytes\n", 8) != 8) _exit(1);
}

static int open_new(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0) _exit(1);
    return fd;
}

static void wait_for(pid_t pid) {
    int status;
    if (pid <= 0 || waitpid(pid, &status, 0) != pid || status != 0) _exit(1);
}

static void as_child(int shared) {
    repeat(shared, 2);
    repeat(open_new("child"), 4);
}

static void as_parent(int shared) {
    repeat(shared, 1);
    repeat(open_new("parent"), 5);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    const char *how = argv[1];
    char *ends = argc > 2 ? argv[2] : NULL;
    int shared = open_new("shared");
    repeat(shared, 3);

    if (!strcmp(how, "fork")) {
        pid_t pid = fork();
        if (pid == 0) {
            as_child(shared);
            _exit(0);
        }
        wait_for(pid);
    } else if (!strcmp(how, "clone")) {
        pid_t pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        if (pid == 0) {
            as_child(shared);
            syscall(SYS_exit_group, 0);
        }
        wait_for(pid);
    } else if (!strcmp(how, "grandchild")) {
        pid_t pid = fork();
        if (pid == 0) {
            pid_t grandchild = fork();
            if (grandchild == 0) {
                repeat(shared, 1);
                repeat(open_new("grandchild"), 6);
                _exit(0);
            }
            wait_for(grandchild);
            as_child(shared);
            _exit(0);
        }
        wait_for(pid);
    } else if (!strcmp(how, "both-at-once")) {
        // Both go on at the same time, in private files.
        pid_t pid = fork();
        repeat(open_new(pid ? "parent-side" : "child-side"), 20000);
        if (pid == 0) return 0;
        wait_for(pid);
    } else if (!strcmp(how, "vfork-exit")) {
        pid_t pid = vfork();
        if (pid == 0) {
            close(shared);
            _exit(0);
        }
        wait_for(pid);
    } else if (!strcmp(how, "vfork-exec")) {
        pid_t pid = vfork();
        if (pid == 0) {
            close(shared);
            execl(ends, ends, "return", "child", "4", NULL);
            _exit(1);
        }
        wait_for(pid);
    } else if (!strcmp(how, "vfork-failed-exec")) {
        pid_t pid = vfork();
        if (pid == 0) {
            dup2(1, shared);
            execl("/nonexistent/program", "program", NULL);
            _exit(0);
        }
        wait_for(pid);
    } else if (!strcmp(how, "posix_spawn")) {
        char *arguments[] = {ends, "return", "child", "4", NULL};
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addclose(&actions, shared);
        pid_t pid;
        if (posix_spawn(&pid, ends, &actions, NULL, arguments, environ)) return 1;
        wait_for(pid);
    } else if (!strcmp(how, "system")) {
        char command[4096];
        snprintf(command, sizeof command, "'%s' return child 4", ends);
        if (system(command)) return 1;
    } else if (!strcmp(how, "popen")) {
        char command[4096];
        snprintf(command, sizeof command, "'%s' return child 4; echo done", ends);
        FILE *pipe = popen(command, "r");
        char line[16] = "";
        if (!pipe || !fgets(line, sizeof line, pipe) || strcmp(line, "done\n")) return 1;
        if (pclose(pipe)) return 1;
    } else {
        return 2;
    }
    as_parent(shared);
    return 0;
}
