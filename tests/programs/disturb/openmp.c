// OpenMP threads write their parts of one file, and one file each.
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

int main(void) {
    int fd = open("shared", O_RDWR | O_CREAT, 0644);
    long sum = 0;
    int failed = 0;
#pragma omp parallel for reduction(+ : sum, failed) schedule(dynamic, 7)
    for (int i = 0; i < 20000; i++) {
        char text[9];
        snprintf(text, sizeof text, "%08d", i);
        failed += pwrite(fd, text, 8, 8L * i) != 8;
        failed += pread(fd, text, 8, 8L * i) != 8;
        sum += text[7] - '0';
    }
#pragma omp parallel reduction(+ : failed)
    {
        char name[32];
        snprintf(name, sizeof name, "thread-%d", omp_get_thread_num());
        FILE *file = fopen(name, "w");
        for (int i = 0; i < 5000; i++) failed += fprintf(file, "%d\n", i) < 2;
        failed += fclose(file) != 0;
    }
    printf("%ld %d\n", sum, failed);
    return failed != 0;
}
