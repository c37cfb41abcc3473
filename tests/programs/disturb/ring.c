// Part of a program that is loaded when it is needed, with a library that nothing else needs.
#include <liburing.h>

int one_submission(void) {
    struct io_uring ring;
    if (io_uring_queue_init(8, &ring, 0) < 0)
        return -1;
    struct io_uring_sqe *entry = io_uring_get_sqe(&ring);
    io_uring_prep_nop(entry);
    int submitted = io_uring_submit(&ring);
    io_uring_queue_exit(&ring);
    return submitted;
}
