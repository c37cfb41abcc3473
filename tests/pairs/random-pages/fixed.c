// Reads the same pages in the order of the file.
#include "pages.h"

static int by_number(const void *a, const void *b) {
    long first = *(const long *)a, second = *(const long *)b;
    return (first > second) - (first < second);
}

int main(void) {
    long pages;
    int fd = open_cold("pages.dat", &pages);
    long count = scaled(24000);
    count = count < pages ? count : pages;
    long *order = choose(pages, count);
    qsort(order, count, sizeof *order, by_number);
    printf("%llu\n", (unsigned long long)sum_of(fd, order, count));
    return 0;
}
