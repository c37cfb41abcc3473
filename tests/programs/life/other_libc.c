// For a C library that is not glibc: writes a line to `data` and to standard output.
#include <stdio.h>

int main(void) {
    FILE *data = fopen("data", "w");
    if (!data || fputs("a line\n", data) < 0 || fclose(data)) return 1;
    return puts("done") < 0;
}
