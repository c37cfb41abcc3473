// io_uring through its library: what is submitted counts, with the bytes asked for.
// needs: liburing.h
// build: -luring
// expect: POSIX data: OPENS 1, MODE 0644, READS 2, WRITES 2, BYTES_READ 6000, BYTES_WRITTEN 8192,
//     MAX_BYTE_WRITTEN 8191, MAX_BYTE_READ 5999
#include "../common.h"
#include <liburing.h>

static void submit(struct io_uring *ring, int count) {
    struct io_uring_cqe *done;
    is(count, io_uring_submit(ring));
    for (int i = 0; i < count; i++) {
        is(0, io_uring_wait_cqe(ring, &done));
        is(0, done->res < 0);
        io_uring_cqe_seen(ring, done);
    }
}

int main(int argc, char **argv) {
    go(argv);
    struct io_uring ring;
    if (io_uring_queue_init(8, &ring, 0) < 0)
        return 77;
    int fd = create("data");
    struct iovec v[2] = {{buf, 1000}, {buf + 1000, 1000}};
    io_uring_prep_write(io_uring_get_sqe(&ring), fd, buf, 4096, 0);
    io_uring_prep_write(io_uring_get_sqe(&ring), fd, buf, 4096, 4096);
    submit(&ring, 2);
    io_uring_prep_read(io_uring_get_sqe(&ring), fd, buf, 4000, 0);
    io_uring_prep_readv(io_uring_get_sqe(&ring), fd, v, 2, 4000);
    submit(&ring, 2);
    io_uring_prep_nop(io_uring_get_sqe(&ring));
    submit(&ring, 1);
    io_uring_queue_exit(&ring);
}
