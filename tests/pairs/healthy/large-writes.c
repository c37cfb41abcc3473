// Writes 256 MiB in pieces of 4 MiB.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

enum { PIECE = 4 << 20 };
static char piece[PIECE];

int main(void) {
    int fd = open("large.dat", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    need(fd >= 0, "large.dat");
    for (long i = 0, end = scaled(64); i < end; i++) {
        memset(piece, 'a' + i % 26, PIECE);
        need(write(fd, piece, PIECE) == PIECE, "write");
    }
    return close(fd);
}
