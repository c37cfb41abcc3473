// _exit with files open: nothing is lost.
// expect: POSIX data: OPENS 1, MODE 0644; w 0 5
// expect: STDIO stream: OPENS 1; w 0 6
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(5, write(create("data"), buf, 5));
    is(6, fwrite(buf, 1, 6, there(fopen("stream", "w"))));
    _exit(0);
}
