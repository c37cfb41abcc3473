struct aiocb writing = {.aio_fildes = fd, .aio_buf = data, .aio_nbytes = bytes, .aio_offset = offset};
aio_write(&writing);      // #include <aio.h>
compute_next_step();      // leaves data alone
const struct aiocb *const list[] = {&writing};
while (aio_error(&writing) == EINPROGRESS)
    aio_suspend(list, 1, NULL);
if (aio_return(&writing) < 0)
    perror("write");
