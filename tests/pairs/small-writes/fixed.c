// Gathers records of 64 bytes and writes a mebibyte at a time.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

enum { ROOM = 1 << 20 };
static char gathered[ROOM];

int main(void) {
    int fd = open("records.dat", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    need(fd >= 0, "records.dat");
    ssize_t filled = 0;
    for (long i = 0, end = scaled(800000); i < end; i++) {
        memset(gathered + filled, 'a' + i % 26, 64);
        filled += 64;
        if (filled == ROOM || i + 1 == end) {
            need(write(fd, gathered, filled) == filled, "write");
            filled = 0;
        }
    }
    return close(fd);
}
