/* Teams of OpenMP in regions and outside of them; each thread has a region of its own. */
#include <fcntl.h>
#include <ioglass.h>
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 4
static int file;

static void write_byte(void) {
    if (write(file, "x", 1) != 1) _exit(9);
}

static long loops(void) {
    long sum = 0;
#pragma omp parallel for num_threads(THREADS) reduction(+ : sum) schedule(static, 1)
    for (int i = 0; i < 40; i++) {
        IOGLASS_REGION("static");
        sum += i;
    }
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 2)
    for (int i = 0; i < 40; i++) {
        IOGLASS_REGION("dynamic");
#pragma omp atomic
        sum += i;
    }
#pragma omp parallel for num_threads(THREADS) schedule(guided)
    for (int i = 0; i < 40; i++) {
        IOGLASS_REGION("guided");
#pragma omp atomic
        sum += i;
    }
#pragma omp parallel for num_threads(THREADS) schedule(runtime)
    for (int i = 0; i < 40; i++) {
        IOGLASS_REGION("runtime");
#pragma omp atomic
        sum += i;
    }
#pragma omp parallel for num_threads(THREADS) schedule(monotonic : dynamic)
    for (int i = 0; i < 40; i++) {
        IOGLASS_REGION("monotonic");
#pragma omp atomic
        sum += i;
    }
    return sum;
}

static long tasks(void) {
    long sum = 0;
#pragma omp parallel num_threads(THREADS) reduction(task, + : sum)
    {
#pragma omp single nowait
        for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum)
            {
                IOGLASS_REGION("task");
                sum += i;
            }
        }
    }
    return sum;
}

static void sections(void) {
#pragma omp parallel sections num_threads(THREADS)
    {
#pragma omp section
        {
            IOGLASS_REGION("section");
        }
#pragma omp section
        {
            IOGLASS_REGION("section");
        }
    }
}

/* Each thread is there: no region of a team ends before all have begun. */
static void team(const char *name) {
#pragma omp parallel num_threads(THREADS)
    {
        write_byte();
        ioglass_enter(name);
#pragma omp barrier
        ioglass_leave(name);
    }
}

int main(int count, char **words) {
    file = open(words[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (count < 2 || file < 0) return 9;
    team("before");
    IOGLASS_ENTER("main");
    team("first");
    IOGLASS_ENTER("solve");
    for (int i = 0; i < 3; i++) team("work");
    long sum = loops() + tasks();
    sections();
#pragma omp parallel num_threads(2)
    {
        IOGLASS_REGION("outer");
#pragma omp parallel num_threads(2)
        {
            IOGLASS_REGION("inner");
        }
    }
    IOGLASS_LEAVE("solve");
    team("last");
    IOGLASS_LEAVE("main");
    team("after");
    printf("%ld\n", sum);
    return 0;
}
