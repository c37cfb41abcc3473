// Writes 8 bytes 50 times to each of COUNT files, and checks every result.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "many-%06d-with-a-name-of-some-length", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0644);
        if (fd < 0) return 1;
        for (int j = 0; j < 50; j++)
            if (write(fd, "8 bytes\n", 8) != 8) return 1;
        if (close(fd)) return 1;
    }
    puts("all written");
    return 0;
}
