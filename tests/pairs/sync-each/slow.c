// Reads many small files, then writes a journal and waits for the disk after every entry.
#include <fcntl.h>
#include <unistd.h>
#include "common.h"

int main(void) {
    char text[256];
    long sum = 0;
    for (long i = 0, end = scaled(1200); i < end; i++) {
        char name[64];
        snprintf(name, sizeof name, "settings/%ld.conf", i);
        int fd = open(name, O_RDONLY);
        need(fd >= 0, name);
        ssize_t got = read(fd, text, sizeof text - 1);
        need(got > 0, name);
        text[got] = 0;
        sum += atol(text + 6);
        close(fd);
    }
    int journal = open("journal.dat", O_WRONLY | O_CREAT | O_APPEND, 0644);
    need(journal >= 0, "journal.dat");
    for (long i = 0, end = scaled(400); i < end; i++) {
        int length = snprintf(text, sizeof text, "entry %ld of %ld\n", i, sum);
        need(write(journal, text, length) == length, "write");
        need(fdatasync(journal) == 0, "fdatasync");
    }
    return close(journal);
}
