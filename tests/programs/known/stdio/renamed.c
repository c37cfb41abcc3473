// A file that only a stream has written is renamed: the new name has the counter, its directory the time.
// expect: STDIO new: OPENS 1; w 0 10
// expect: POSIX final: RENAME_TARGETS 1
// metadata: .: rename 1
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *file = fopen("new", "w");
    is(10, fwrite(buf, 1, 10, file));
    is(0, fclose(file));
    is(0, rename("new", "final"));
}
