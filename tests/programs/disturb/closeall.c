// Closes every descriptor as daemons do, then writes and runs another program.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    int first = open("first", O_WRONLY | O_CREAT, 0644);
    if (write(first, "first\n", 6) != 6) return 1;
    FILE *stream = fopen("stream", "w");
    fputs("not flushed yet\n", stream);
    int out = dup(1);
    if (!strcmp(argv[1], "one-by-one")) {
        for (int fd = 0; fd < 1024; fd++)
            if (fd != out) close(fd);
    } else if (!strcmp(argv[1], "close_range")) {
        close_range(0, out - 1, 0);
        close_range(out + 1, ~0U, 0);
    } else if (!strcmp(argv[1], "closefrom")) {
        dup2(out, 2);
        out = 2;
        closefrom(3);
    } else {
        for (int fd = 3; fd < 1024; fd++)
            if (fd != out) dup2(out, fd);
    }
    char text[100];
    // The stream's descriptor is gone, or another file now; flushing it tells which.
    int closed = fclose(stream);
    int second = open("second", O_WRONLY | O_CREAT, 0644);
    int written = write(second, "second\n", 7);
    snprintf(text, sizeof text, "fclose %d, next descriptor %d, written %d\n", closed, second, written);
    if (write(out, text, strlen(text)) < 0) return 1;
    dup2(out, 1);
    execl("/bin/cat", "cat", "first", "second", NULL);
    return 1;
}
