// Mappings are counted, of the program's own making only.
// given: data 8192
// expect: POSIX data: OPENS 1, MMAPS 3
// expect: POSIX plain: OPENS 1, MODE 0644; w 0 1
// others: data: munmap 2, msync 2
// metadata: .: msync 3/1
#include "../common.h"
#include <sys/mman.h>

int main(int argc, char **argv) {
    go(argv);
    int fd = ok(open("data", O_RDWR));
    char *a = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, fd, 0);
    char *b = mmap64(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
    is(0, a == MAP_FAILED || b == MAP_FAILED);
    b[0] = a[0];
    is(0, msync(b, 4096, MS_SYNC));
    // A part of a mapping, and memory that is none any more.
    is(0, msync(a + 4096, 4096, MS_ASYNC));
    is(-1, msync(b, 4096, MS_SYNC | MS_ASYNC));
    is(0, munmap(a, 8192));
    is(0, munmap(b, 4096));
    is(0, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED);
    is(0, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED);
    is(-1, (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 1));
    is(1, write(create("plain"), buf, 1));
}
