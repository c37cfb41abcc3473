// What fails is not counted, and fails as it would.
// given: data 10
// expect: POSIX data: OPENS 2; r 0 10 |
// absent: POSIX nothing
// absent: POSIX folder/nothing
#include "../common.h"
#include <sys/uio.h>

int main(int argc, char **argv) {
    go(argv);
    is(-1, open("nothing", O_RDONLY));
    is(ENOENT, errno);
    is(-1, open("folder/nothing", O_CREAT | O_WRONLY, 0644));
    is(-1, creat("", 0644));
    is(-1, openat(1000, "data", O_RDONLY));
    is(EBADF, errno);
    int fd = ok(open("data", O_RDONLY));
    is(-1, write(fd, buf, 10));
    is(EBADF, errno);
    is(-1, pwrite(fd, buf, 10, 0));
    void *volatile nowhere = (void *)8;
    is(-1, read(fd, nowhere, 10));
    is(EFAULT, errno);
    is(-1, pread(fd, buf, 10, -5));
    is(EINVAL, errno);
    is(-1, lseek(fd, -5, SEEK_SET));
    is(-1, lseek(fd, 0, 99));
    struct iovec v = {buf, 10};
    volatile int none = -1;
    is(-1, readv(fd, &v, none));
    is(-1, writev(fd, &v, 1));
    is(-1, dup2(fd, -1));
    is(-1, fcntl(fd, F_DUPFD, -1));
    // None of them moved the position.
    is(10, read(fd, buf, 100));
    is(0, close(fd));
    is(-1, close(fd));
    is(EBADF, errno);
    is(-1, read(fd, buf, 10));
    is(-1, lseek(fd, 0, SEEK_SET));
    is(-1, dup(fd));
    is(0, close(ok(open("data", O_RDONLY))));
}
