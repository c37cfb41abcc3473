// Redirections of shells: what builtins and programs read and write is their files'.
// given: in 1000
// expect: POSIX from-sh @*: OPENS 200, DUPS 100, MODE *, WRITES 100, BYTES_WRITTEN 500, STATS *, SEEKS *, MEM_NOT_ALIGNED *, FILE_NOT_ALIGNED *
// expect: POSIX copied @*: OPENS *, DUPS *, MODE *, WRITES 1.., BYTES_WRITTEN 1000, STATS *, SEEKS *, MEM_NOT_ALIGNED *
// expect: POSIX in @*: OPENS *, DUPS *, READS 2.., BYTES_READ 2000, STATS *, SEEKS *, MEM_NOT_ALIGNED *, MODE *
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    is(0, system("i=0; while [ $i -lt 100 ]; do echo line >> from-sh; i=$((i+1)); done"));
    is(0, system("cat in > copied"));
    is(0, system("cat < in > /dev/null"));
}
