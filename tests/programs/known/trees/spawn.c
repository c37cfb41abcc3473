// posix_spawn with file actions: the child's standard output is a file.
// expect: POSIX out @*: OPENS *, DUPS *, MODE *, WRITES 1, BYTES_WRITTEN 6, STATS *, SEEKS *
// expect: POSIX parent @0: OPENS 1, MODE 0644; w 0 2
#include "../common.h"
#include <spawn.h>
#include <sys/wait.h>

int main(int argc, char **argv) {
    go(argv);
    if (argc == 3) {
        is(6, write(1, buf, 6));
        return 0;
    }
    int fd = create("parent"), status;
    posix_spawn_file_actions_t actions;
    is(0, posix_spawn_file_actions_init(&actions));
    is(0, posix_spawn_file_actions_addopen(&actions, 1, "out", O_WRONLY | O_CREAT, 0644));
    char *arguments[] = {argv[0], argv[1], "child", NULL};
    pid_t child;
    is(0, posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ));
    is(child, waitpid(child, &status, 0));
    is(0, status);
    is(2, write(fd, buf, 2));
}
