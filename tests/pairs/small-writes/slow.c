// Writes records of 64 bytes as they come.
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "common.h"

int main(void) {
    int fd = open("records.dat", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    need(fd >= 0, "records.dat");
    char record[64];
    for (long i = 0, end = scaled(800000); i < end; i++) {
        memset(record, 'a' + i % 26, sizeof record);
        need(write(fd, record, sizeof record) == sizeof record, "write");
    }
    return close(fd);
}
