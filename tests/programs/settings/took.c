// Writes a little and prints a number that depends on the size of its buffer, as if that took time.
#include <stdio.h>
#include <stdio_ext.h>

int main(int argc, char **argv) {
    FILE *stream = fopen(argc > 1 ? argv[1] : "out", "w");
    for (int i = 0; i < 20000; i++)
        fwrite("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 64, 1, stream);
    size_t size = __fbufsize(stream);
    printf("took %d\n", size >= 1 << 20 ? 2 : size >= 1 << 18 ? 1 : size >= 1 << 16 ? 3 : 4);
    return fclose(stream);
}
