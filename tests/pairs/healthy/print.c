// Prints a million lines into a file, through the buffer of a stream.
#include "common.h"

int main(void) {
    FILE *file = fopen("table.txt", "w");
    need(file != NULL, "table.txt");
    for (long i = 0, end = scaled(1000000); i < end; i++)
        fprintf(file, "%ld %.6f %.6f\n", i, i * 0.5, i * 0.25);
    return fclose(file);
}
