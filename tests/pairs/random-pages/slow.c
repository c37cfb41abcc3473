// Reads pages in the order of an index.
#include "pages.h"

int main(void) {
    long pages;
    int fd = open_cold("pages.dat", &pages);
    long count = scaled(24000);
    count = count < pages ? count : pages;
    long *order = choose(pages, count);
    printf("%llu\n", (unsigned long long)sum_of(fd, order, count));
    return 0;
}
