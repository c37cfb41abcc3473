// Streams without a file are not recorded.
// expect: STDIO data: OPENS 1; w 0 3
// absent: STDIO <STDIN>
// absent: STDIO <STDOUT>
// absent: STDIO <STDERR>
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    char room[100];
    FILE *f = there(fmemopen(room, sizeof room, "w+"));
    is(10, fwrite(buf, 1, 10, f));
    is(5, fprintf(f, "12345"));
    rewind(f);
    is(10, fread(buf, 1, 10, f));
    is(0, fclose(f));
    char *grown;
    size_t size;
    f = there(open_memstream(&grown, &size));
    is(5, fprintf(f, "12345"));
    is('x', fputc('x', f));
    is(0, fclose(f));
    is(6, size);
    free(grown);
    int n = snprintf(room, sizeof room, "%d", 5), got;
    is(1, n);
    is(1, sscanf(room, "%d", &got));
    f = there(fopen("data", "w"));
    is(3, fwrite(buf, 1, 3, f));
    is(0, fclose(f));
}
