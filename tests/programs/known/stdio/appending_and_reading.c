// A stream that reads and appends: reads where it is, writes at the end.
// expect: STDIO data: OPENS 1, SEEKS 4, FLUSHES 1; r 0 10, r 10 1, r 11 3, w 100 4, w 104 1 x3, w 107 5, r 50 10,
//     w 112 6, w 118 1, r 0 2
// expect: STDIO two: OPENS 2; w 20 5, w 25 10
// expect: STDIO over: OPENS 1, FDOPENS 1, SEEKS 1; r 5 5, w 20 3, w 23 3
// expect: POSIX over: OPENS 1, SEEKS 1
// given: data 100
// given: two 20
// given: over 20
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "a+"));
    is(10, fread(buf, 1, 10, f));
    is('k', getc(f));
    is(1, fscanf(f, "%3s", buf));
    is(0, fseek(f, 0, SEEK_CUR));
    is(4, fprintf(f, "four"));
    for (int i = 0; i < 3; i++)
        is('x', putc('x', f));
    is(0, fflush(f));
    is(5, fwrite(buf, 1, 5, f));
    is(0, fseek(f, 50, SEEK_SET));
    is(10, fread(buf, 1, 10, f));
    is(0, fseek(f, 60, SEEK_SET));
    is(6, fwrite(buf, 1, 6, f));
    is('y', putc('y', f));
    is(119, ftell(f));
    rewind(f);
    is(1, fscanf(f, "%2s", buf));
    is(0, fclose(f));

    // Others append as well.
    FILE *one = there(fopen("two", "a")), *two = there(fopen("two", "a+"));
    is(5, fwrite(buf, 1, 5, one));
    is(0, fclose(one));
    is(10, fwrite(buf, 1, 10, two));
    is(0, fclose(two));

    int fd = ok(open("over", O_RDWR | O_APPEND));
    is(5, lseek(fd, 5, SEEK_SET));
    f = there(fdopen(fd, "a+"));
    is(5, fread(buf, 1, 5, f));
    is(0, fseek(f, 0, SEEK_CUR));
    is(3, fwrite(buf, 1, 3, f));
    is(3, fwrite(buf, 1, 3, f));
    is(0, fclose(f));
}
