// A child of vfork shares its parent's memory; what it does to descriptors does not concern the parent.
// expect: POSIX data @0: OPENS 1, MODE 0644, WRITES 8, BYTES_WRITTEN 80, MAX_BYTE_WRITTEN 79
#include "../common.h"
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

static int child_by_clone(void *fd) {
    close(*(int *)fd);
    _exit(0);
}

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data"), status;
    for (int i = 0; i < 3; i++)
        is(10, write(fd, buf, 10));
    pid_t child = ok(vfork());
    if (child == 0) {
        close(fd);
        _exit(0);
    }
    is(child, waitpid(child, &status, 0));
    for (int i = 0; i < 2; i++)
        is(10, write(fd, buf, 10));
    child = ok(vfork());
    if (child == 0) {
        dup2(1, fd);
        execlp("true", "true", NULL);
        _exit(1);
    }
    is(child, waitpid(child, &status, 0));
    is(0, status);
    for (int i = 0; i < 2; i++)
        is(10, write(fd, buf, 10));
    static char stack[1 << 16] __attribute__((aligned(16)));
    int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
    child = ok(clone(child_by_clone, stack + sizeof stack, flags, &fd));
    is(child, waitpid(child, &status, 0));
    is(10, write(fd, buf, 10));
}
