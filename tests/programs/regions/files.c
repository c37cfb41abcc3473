/* Writes known bytes to known files: outside of regions, in main > init and in main > dump.
   The first word is the interface, posix or stdio. */
#include "../../../crates/region/include/ioglass.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_stdio;

/* Appends 64 bytes so many times. */
static void append(const char *name, int times) {
    char bytes[64];
    memset(bytes, 'x', sizeof bytes);
    if (is_stdio) {
        FILE *file = fopen(name, "a");
        for (int i = 0; i < times; i++)
            if (fwrite(bytes, 1, sizeof bytes, file) != sizeof bytes) exit(1);
        if (fclose(file)) exit(1);
    } else {
        int file = open(name, O_CREAT | O_WRONLY | O_APPEND, 0644);
        for (int i = 0; i < times; i++)
            if (write(file, bytes, sizeof bytes) != sizeof bytes) exit(1);
        if (close(file)) exit(1);
    }
}

int main(int count, char **words) {
    is_stdio = count > 1 && !strcmp(words[1], "stdio");
    append("a.data", 500);
    IOGLASS_ENTER("main");
    IOGLASS_ENTER("init");
    append("a.data", 1000);
    append("b.data", 10);
    IOGLASS_LEAVE("init");
    for (int i = 0; i < 3; i++) {
        IOGLASS_ITERATION("dump");
        append("a.data", 3000);
        append("b.data", 20);
    }
    IOGLASS_LEAVE("main");
}
