// POSIX asynchronous I/O: counted when the program takes the result.
// build: -lrt
// expect: POSIX data: OPENS 1, MODE 0644, READS 3, WRITES 4, BYTES_READ 2348, BYTES_WRITTEN 3072,
//     MAX_BYTE_WRITTEN 5119, MAX_BYTE_READ 5119, SIZE_WRITE_100_1K 4, SIZE_READ_100_1K 3
#include "../common.h"
#include <aio.h>

static void finish(struct aiocb *one, int bytes) {
    const struct aiocb *list[] = {one};
    while (aio_error(one) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    is(0, aio_error(one));
    is(bytes, aio_return(one));
}

static struct aiocb about(int fd, int offset, int bytes) {
    return (struct aiocb){.aio_fildes = fd, .aio_buf = buf, .aio_nbytes = bytes, .aio_offset = offset};
}

int main(int argc, char **argv) {
    go(argv);
    int fd = create("data");
    struct aiocb one = about(fd, 0, 1024);
    is(0, aio_write(&one));
    finish(&one, 1024);
    one = about(fd, 4096, 1024);
    is(0, aio_write(&one));
    finish(&one, 1024);
    one = about(fd, 4096, 1024);
    is(0, aio_read(&one));
    finish(&one, 1024);

    struct aiocb a = about(fd, 1024, 512), b = about(fd, 1536, 512), c = about(fd, 0, 300),
                 nothing = about(fd, 0, 10);
    a.aio_lio_opcode = b.aio_lio_opcode = LIO_WRITE;
    c.aio_lio_opcode = LIO_READ;
    nothing.aio_lio_opcode = LIO_NOP;
    struct aiocb *list[] = {&a, &b, NULL, &c, &nothing};
    is(0, lio_listio(LIO_WAIT, list, 5, NULL));
    finish(&a, 512);
    finish(&b, 512);
    finish(&c, 300);

    one = about(fd, 0, 1024);
    is(0, aio_read(&one));
    finish(&one, 1024);
    // The results of a second call are not the program's any more.
    one = about(-1, 0, 10);
    if (aio_read(&one) == 0) {
        while (aio_error(&one) == EINPROGRESS)
            usleep(100);
        is(-1, aio_return(&one));
    }
}
