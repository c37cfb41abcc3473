// Descriptors closed by the number: what gets the number next has nothing to do with the old file.
// build: -D_DEFAULT_SOURCE
// expect: POSIX range{0..3}: OPENS 1, MODE 0644; w 0 10
// expect: POSIX from{0..3}: OPENS 1, MODE 0644; w 0 11
// expect: POSIX stream_gone: OPENS 1, MODE 0644; w 0 12
// expect: STDIO stream: OPENS 1; w 0 1
// expect: POSIX after{0..3}: OPENS 1, MODE 0644; w 0 20
// expect: POSIX last{0..3}: OPENS 1, MODE 0644; w 0 21
#include "../common.h"

static void four(const char *kind, int bytes) {
    for (int i = 0; i < 4; i++) {
        char name[20];
        snprintf(name, sizeof name, "%s%d", kind, i);
        is(bytes, write(create(name), buf, bytes));
    }
}

int main(int argc, char **argv) {
    go(argv);
    four("range", 10);
    is(0, close_range(3, 100, 0));
    four("after", 20);
    is(0, close_range(3, ~0U, 0));
    four("from", 11);
    closefrom(3);
    four("last", 21);
    closefrom(3);
    // A number that fclose gave back.
    FILE *stream = there(fopen("stream", "w"));
    is('x', fputc('x', stream));
    is(0, fclose(stream));
    is(12, write(create("stream_gone"), buf, 12));
}
