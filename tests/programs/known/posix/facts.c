// What Darshan does not count of files: their types, flags of opens, the largest mapping.
// expect: POSIX synced: OPENS 3, MODE 0644, FSYNCS 1, FDSYNCS 1
// expect: POSIX emptied: OPENS 2, MODE 0644
// expect: STDIO emptied: OPENS 2
// expect: POSIX mapped: OPENS 1, MODE 0644, MMAPS 2
// expect: POSIX pipe: OPENS 1; w 0 5, r 5 5
// expect: STDIO other-pipe: OPENS 1; w 0 3
// expect: POSIX plain: OPENS 1, MODE 0644; w 0 10
// facts: synced: sync 2
// facts: emptied: truncated 3
// facts: mapped: mapped 8192
// facts: pipe: type fifo
// facts: other-pipe: type fifo
#include "../common.h"
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = create("synced");
    is(0, fsync(fd));
    is(0, fdatasync(fd));
    is(0, close(fd));
    is(0, close(ok(open("synced", O_RDWR | O_SYNC))));
    is(0, close(ok(open("synced", O_RDWR | O_DSYNC))));

    is(0, close(ok(open("emptied", O_WRONLY | O_CREAT | O_TRUNC, 0644))));
    is(0, close(ok(open("emptied", O_WRONLY | O_TRUNC))));
    is(0, fclose(there(fopen("emptied", "w"))));
    is(0, fclose(there(fopen("emptied", "a"))));

    fd = create("mapped");
    is(0, ftruncate(fd, 8192));
    char *all = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
    is(1, all != MAP_FAILED);
    is(1, mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);

    is(0, mkfifo("pipe", 0600));
    fd = ok(open("pipe", O_RDWR));
    is(5, write(fd, buf, 5));
    is(5, read(fd, buf, 5));
    is(0, mkfifo("other-pipe", 0600));
    FILE *pipe = there(fopen("other-pipe", "r+"));
    is(1, fputs("abc", pipe) >= 0);

    is(10, write(create("plain"), buf, 10));
}
