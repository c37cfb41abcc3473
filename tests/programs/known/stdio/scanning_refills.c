// Formatted input that goes on in the next buffer, and in many more.
// expect: STDIO data: OPENS 2; w 0 26011, r 0 1, r 1 4999, r 5000 3000, r 8000 18001, r 26001 2
// expect: STDIO small: OPENS 2; w 0 700, r 0 6, r 6 7 x99
// expect: STDIO none: OPENS 2; w 0 700, r 0 6, r 6 7 x9
// expect: STDIO lines: OPENS 2; w 0 700, r 0 6, r 6 7 x99
// expect: STDIO exact: OPENS 2; w 0 8193, r 0 4096, r 4096 4096
#include "../common.h"

static char word[30000];

static FILE *prepared(const char *name, const char *text, size_t size) {
    FILE *f = there(fopen(name, "w"));
    is(size, fwrite(text, 1, size, f));
    is(0, fclose(f));
    return there(fopen(name, "r"));
}

// A hundred numbers of six digits, each followed by a newline.
static FILE *numbers(const char *name) {
    for (int i = 0; i < 100; i++)
        sprintf(buf + 7 * i, "%06d\n", i);
    return prepared(name, buf, 700);
}

static void scan_numbers(FILE *f, int count) {
    for (int i = 0, number; i < count; i++) {
        is(1, fscanf(f, "%d", &number));
        is(i, number);
    }
    is(0, fclose(f));
}

int main(int argc, char **argv) {
    go(argv);
    // One that ends where it began in a later buffer, one that begins and ends in the middle, one that
    // passes four ends of buffers.
    memset(buf, ' ', 26011);
    buf[0] = '1';
    buf[4999] = '2';
    memset(buf + 5000, 'a', 3000);
    buf[26000] = '3';
    buf[26002] = '4';
    FILE *f = prepared("data", buf, 26011);
    int number;
    is(1, fscanf(f, "%1d", &number));
    is(1, fscanf(f, "%1d", &number));
    is(2, number);
    is(1, fscanf(f, "%29999s", word));
    is(3000, strlen(word));
    is(1, fscanf(f, "%d", &number));
    is(3, number);
    is(26001, ftell(f));
    is(1, fscanf(f, "%d", &number));
    is(4, number);
    is(26003, ftell(f));
    is(0, fclose(f));

    static char room[64];
    f = numbers("small");
    is(0, setvbuf(f, room, _IOFBF, sizeof room));
    scan_numbers(f, 100);
    f = numbers("none");
    is(0, setvbuf(f, NULL, _IONBF, 0));
    scan_numbers(f, 10);
    f = numbers("lines");
    is(0, setvbuf(f, NULL, _IOLBF, 0));
    scan_numbers(f, 100);

    // Whole buffers.
    memset(buf, 'a', 8193);
    f = prepared("exact", buf, 8193);
    is(1, fscanf(f, "%4096c", word));
    is(1, fscanf(f, "%4096c", word));
    is(0, fclose(f));
}
