// Syncing is counted; it is no write.
// expect: POSIX data: OPENS 1, FSYNCS 2, FDSYNCS 3, MODE 0644; w 0 10
// expect: POSIX untouched: OPENS 1, FSYNCS 1, MODE 0644
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    is(10, write(fd, buf, 10));
    for (int i = 0; i < 2; i++)
        is(0, fsync(fd));
    for (int i = 0; i < 3; i++)
        is(0, fdatasync(fd));
    is(0, fsync(create("untouched")));
    is(-1, fsync(-1));
    is(-1, fdatasync(1000));
}
