// Streams that a program handles itself or that live in memory are not recorded, character by
// character neither.
// expect: STDIO data: OPENS 1; w 0 1
#include "../common.h"

static ssize_t give(void *cookie, char *to, size_t size) {
    memset(to, 'g', size);
    return size;
}

static ssize_t take(void *cookie, const char *from, size_t size) {
    *(size_t *)cookie += size;
    return size;
}

int main(int argc, char **argv) {
    go(argv);
    size_t taken = 0, size;
    FILE *f = there(fopencookie(&taken, "r+", (cookie_io_functions_t){give, take, NULL, NULL}));
    for (int i = 0; i < 5000; i++)
        is('g', i % 2 ? getc(f) : getc_unlocked(f));
    is(0, fclose(f));
    f = there(fopencookie(&taken, "w", (cookie_io_functions_t){NULL, take, NULL, NULL}));
    for (int i = 0; i < 5000; i++)
        is('p', i % 2 ? putc('p', f) : putc_unlocked('p', f));
    is(0, fclose(f));
    is(5000, taken);
    char *grown;
    f = there(open_memstream(&grown, &size));
    for (int i = 0; i < 5000; i++)
        is('m', putc('m', f));
    is(0, fclose(f));
    is(5000, size);
    f = there(fmemopen(grown, size, "r"));
    for (int i = 0; i < 5000; i++)
        is('m', fgetc(f));
    is(EOF, getc(f));
    is(0, fclose(f));
    f = there(fopen("data", "w"));
    is('x', putc('x', f));
    is(0, fclose(f));
}
