// Formatted input among calls of all other kinds, and after the descriptor was moved.
// given: at 20
// stdin: at
// expect: STDIO data: OPENS 2, SEEKS 4, FLUSHES 1; w 0 8000, r 0 4, r 4 4, r 8 1, r 9 7, r 16 3, r 19 1,
//     r 20 4 x2, r 100 3, r 103 5, r 108 1, r 203 4, r 7996 3, r 0 3, r 7988 11
// expect: POSIX data: OPENS 1, FILENOS 1, SEEKS 1
// expect: STDIO over: OPENS 1, FDOPENS 1; r 12 2
// expect: POSIX over: OPENS 1, MODE 0644, SEEKS 1; w 0 20
// expect: STDIO both: OPENS 2, SEEKS 1; w 0 20, r 0 2, w 3 2, r 5 6
// expect: STDIO mapped: OPENS 2; w 0 20, r 0 3, r 3 4
// expect: STDIO <STDIN>: OPENS 1, READS 1, BYTES_READ 13, MAX_BYTE_READ 19
// expect: POSIX at: SEEKS 1
#include "../common.h"

static int number;

static int scan(FILE *f, int count) {
    is(count, fscanf(f, "%d", &number));
    return number;
}

int main(int argc, char **argv) {
    go(argv);
    FILE *f = there(fopen("data", "w"));
    for (int i = 0; i < 2000; i++)
        sprintf(buf + 4 * i, "%03d ", i % 1000);
    is(8000, fwrite(buf, 1, 8000, f));
    is(0, fclose(f));

    f = there(fopen("data", "r"));
    is(4, fread(buf, 1, 4, f));
    is(1, fscanf(f, "%d ", &number));
    is(1, number);
    is('0', getc(f));
    there(fgets(buf, 8, f));
    is(4, scan(f, 1));
    is(' ', getc_unlocked(f));
    char *line = NULL;
    size_t room = 0;
    is(4, getdelim(&line, &room, ' ', f));
    is(4, getdelim(&line, &room, ' ', f));
    is(28, ftell(f));
    is(0, fseek(f, 100, SEEK_SET));
    is(25, scan(f, 1));
    is(103, ftell(f));
    is(1, fscanf(f, " %d ", &number));
    is('0', fgetc(f));
    is(0, fseek(f, 94, SEEK_CUR));
    is(203, ftell(f));
    is(51, scan(f, 1));
    is(0, fseek(f, -4, SEEK_END));
    is(999, scan(f, 1));
    rewind(f);
    is(0, scan(f, 1));
    // The program moves the descriptor while the stream holds nothing.
    is(0, fflush(f));
    is(7988, lseek(fileno(f), 7988, SEEK_SET));
    is(3, fscanf(f, "%d %d %d", &number, &number, &number));
    is(999, number);
    is(0, fclose(f));

    int fd = create("over");
    memcpy(buf, "00 11 22 33 44 55 66", 20);
    is(20, write(fd, buf, 20));
    is(12, lseek(fd, 12, SEEK_SET));
    f = there(fdopen(fd, "r"));
    is(44, scan(f, 1));
    is(0, fclose(f));

    // Read, written and read again.
    f = there(fopen("both", "w+"));
    is(0, fputs("00 11 22 33 44 55 66", f) == EOF);
    is(0, fclose(f));
    f = there(fopen("both", "r+"));
    is(0, scan(f, 1));
    is(0, fseek(f, 3, SEEK_SET));
    is(2, fprintf(f, "99"));
    is(2, fscanf(f, "%d %d", &number, &number));
    is(33, number);
    is(0, fclose(f));

    // The C library may map it.
    f = there(fopen("mapped", "w"));
    is(0, fputs("100 200 300 400 500 ", f) == EOF);
    is(0, fclose(f));
    f = there(fopen("mapped", "rm"));
    is(100, scan(f, 1));
    is(200, scan(f, 1));
    is(0, fclose(f));

    // Somebody has read some of it before.
    is(7, lseek(0, 7, SEEK_SET));
    is(1, scanf("%s", buf));
    is(13, strlen(buf));
}
