// The last number of a file, without a newline after it.
// expect: STDIO short: OPENS 2; w 0 2, r 0 2
// expect: STDIO unbuffered: OPENS 2; w 0 5, r 0 2, r 2 3
// expect: STDIO long: OPENS 2; w 0 9000, r 0 4090, r 4090 4910
// expect: STDIO blank: OPENS 2, FLUSHES 1; w 0 5000, w 5000 2, r 5000 2
// expect: STDIO empty: OPENS 1
// given: empty 0
#include "../common.h"

static char word[10000];
static int number;

static void make(const char *name, size_t size) {
    FILE *f = there(fopen(name, "w"));
    is(size, fwrite(buf, 1, size, f));
    is(0, fclose(f));
}

int main(int argc, char **argv) {
    go(argv);
    memcpy(buf, "42", 2);
    make("short", 2);
    FILE *f = there(fopen("short", "r"));
    is(1, fscanf(f, "%d", &number));
    is(42, number);
    is(EOF, fscanf(f, "%d", &number));
    is(1, feof(f) != 0);
    is(0, fclose(f));

    memcpy(buf, "42 43", 5);
    make("unbuffered", 5);
    f = there(fopen("unbuffered", "r"));
    is(0, setvbuf(f, NULL, _IONBF, 0));
    is(1, fscanf(f, "%d", &number));
    is(1, fscanf(f, "%d", &number));
    is(43, number);
    is(0, fclose(f));

    memset(buf, 'a', 9000);
    make("long", 9000);
    f = there(fopen("long", "r"));
    is(1, fscanf(f, "%4090s", word));
    is(1, fscanf(f, "%9999s", word));
    is(4910, strlen(word));
    is(0, fclose(f));

    // Blanks up to the end; then the file grows.
    memset(buf, ' ', 5000);
    FILE *out = there(fopen("blank", "w"));
    is(5000, fwrite(buf, 1, 5000, out));
    is(0, fflush(out));
    f = there(fopen("blank", "r"));
    is(EOF, fscanf(f, "%d", &number));
    is(2, fwrite("7\n", 1, 2, out));
    is(0, fclose(out));
    clearerr(f);
    is(1, fscanf(f, "%d ", &number));
    is(7, number);
    is(0, fclose(f));

    f = there(fopen("empty", "r"));
    is(EOF, fscanf(f, "%d", &number));
    is(0, fclose(f));
}
