// Sizes at both sides of every border between size classes.
// expect: POSIX data: OPENS 1, MODE 0644; w 0 0, w 0 1, w 0 100, w 0 101, w 0 1024, w 0 1025, w 0 10240,
//     w 0 10241, w 0 102400, w 0 102401, w 0 1048576, w 0 1048577, w 0 4194304,
//     r 0 0, r 0 1, r 0 100, r 0 101, r 0 1024, r 0 1025, r 0 10240,
//     r 0 10241, r 0 102400, r 0 102401, r 0 1048576, r 0 1048577, r 0 4194304
// expect: POSIX sparse: OPENS 1, MODE 0644; r 0 4194305, r 0 10485760, r 0 10485761, r 0 104857600,
//     r 0 104857601, r 0 1073741824, r 0 1073741825
// expect: POSIX written: OPENS 1, MODE 0644; w 0 4194305, w 0 10485760, w 0 10485761
#include "../common.h"
#include <sys/uio.h>

// As many bytes as wanted, all of them in the one buffer.
static int vector(struct iovec *v, size_t bytes) {
    int n = 0;
    for (; bytes; n++) {
        size_t part = bytes < sizeof buf ? bytes : sizeof buf;
        v[n] = (struct iovec){buf, part};
        bytes -= part;
    }
    return n;
}

int main(int argc, char **argv) {
    go(argv);
    static const size_t small[] = {0,     1,      100,    101,     1024,    1025,   10240,
                                   10241, 102400, 102401, 1048576, 1048577, 4194304};
    int fd = create("data");
    for (int i = 0; i < 13; i++)
        is(small[i], pwrite(fd, buf, small[i], 0));
    for (int i = 0; i < 13; i++)
        is(small[i], pread(fd, buf, small[i], 0));
    is(0, close(fd));

    static const size_t large[] = {4194305,   10485760,   10485761,  104857600,
                                   104857601, 1073741824, 1073741825};
    struct iovec v[512];
    fd = create("sparse");
    // Without the page cache, which would need a gigabyte, if the file system knows how.
    fcntl(fd, F_SETFL, O_DIRECT);
    for (int i = 0; i < 7; i++) {
        is(0, ftruncate(fd, large[i]));
        is(large[i], preadv(fd, v, vector(v, (large[i] + 4095) / 4096 * 4096), 0));
    }
    is(0, close(fd));

    fd = create("written");
    for (int i = 0; i < 3; i++)
        is(large[i], pwritev(fd, v, vector(v, large[i]), 0));
    is(0, ftruncate(fd, 0));
    is(0, close(fd));
}
