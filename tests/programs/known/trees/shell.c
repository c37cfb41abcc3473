// A shell, a pipe and a redirection: bytes of all processes.
// given: in 1000
// expect: POSIX in @*: OPENS 1, READS 1.., BYTES_READ 1000, STATS *, SEEKS *, MEM_NOT_ALIGNED *
// expect: POSIX out @*: OPENS 1.., DUPS *, MODE *, WRITES 1.., BYTES_WRITTEN 1000, STATS *, SEEKS *, FILENOS *, MEM_NOT_ALIGNED *
// expect: POSIX parent @0: OPENS 1, MODE 0644; w 0 1, w 1 1
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("parent");
    is(1, write(fd, buf, 1));
    is(0, system("cat in | cat > out"));
    is(1, write(fd, buf, 1));
}
