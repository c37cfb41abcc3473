// Counts lines, and asks the kernel for every byte.
#include <fcntl.h>
#include <unistd.h>
#include "common.h"

int main(void) {
    int fd = open("input.bin", O_RDONLY);
    need(fd >= 0, "input.bin");
    long lines = 0;
    char byte;
    while (read(fd, &byte, 1) == 1)
        lines += byte == '\n';
    printf("%ld\n", lines);
    return close(fd);
}
