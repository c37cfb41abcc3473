// Before MPI begins, after it has ended, in a child, and in what the child becomes.
// expect: POSIX before: OPENS N, WRITES N, BYTES_WRITTEN 3N
// expect: POSIX after: OPENS N, WRITES N, BYTES_WRITTEN 4N
// expect: POSIX child: OPENS N, WRITES N, BYTES_WRITTEN 5N
// under run: POSIX program: OPENS 2N, DUPS N, BYTES_WRITTEN 6N
#include "common.h"
#include <fcntl.h>
#include <sys/wait.h>

static void leave(const char *name, int bytes) {
    int fd = open(name, O_CREAT | O_WRONLY, 0644);
    if (write(fd, buf, bytes) != bytes || close(fd))
        abort();
}

static void wait_for(pid_t child) {
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

int main(int argc, char **argv) {
    go(argv);
    leave("before", 3);
    argv[1] = ".";
    begin(argc, argv);
    ok(MPI_Finalize());
    leave("after", 4);
    pid_t child = fork();
    if (child == 0) {
        leave("child", 5);
        _exit(0);
    }
    wait_for(child);
    child = fork();
    if (child == 0) {
        execlp("dd", "dd", "if=/dev/zero", "of=program", "bs=6", "count=1", "status=none", NULL);
        _exit(1);
    }
    wait_for(child);
}
