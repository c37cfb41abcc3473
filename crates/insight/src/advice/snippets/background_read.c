struct aiocb next = {.aio_fildes = fd, .aio_buf = next_data, .aio_nbytes = bytes, .aio_offset = offset};
aio_read(&next);          // #include <aio.h>
compute_with(data);
const struct aiocb *const list[] = {&next};
while (aio_error(&next) == EINPROGRESS)
    aio_suspend(list, 1, NULL);
if (aio_return(&next) < 0)
    perror("read");
