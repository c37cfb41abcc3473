/* What annotations cost: nanoseconds per guard (enter and leave), per pair by name, and per value,
 * less the same loop without them; the least of nine rounds.
 *
 *     cc -O2 -I$(ioglass include) cost.c -o cost
 *     ./cost                       # nobody listens
 *     ioglass run -- ./cost
 */
#define _GNU_SOURCE
#include <ioglass.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 9, CALLS = 2000000 };

#define KEEP __asm__ volatile("" ::: "memory")

static void nothing(void) { KEEP; }
static void guard(void) {
    IOGLASS_REGION("guard");
    KEEP;
}
static void by_name(void) {
    ioglass_enter("by name");
    KEEP;
    ioglass_leave("by name");
}
static void value(void) { ioglass_value("metric [s]", 0.5); }

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Nanoseconds of one call, the least of all rounds. */
static double cost(void (*volatile function)(void)) {
    double least = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now();
        for (int i = 0; i < CALLS; i++) function();
        double each = (now() - begin) / CALLS;
        if (each < least) least = each;
    }
    return least;
}

int main(void) {
    IOGLASS_REGION("main");
    double base = cost(nothing);
    printf("%s, base %.2f ns\n", ioglass_active() ? "recorded" : "nobody listens", base);
    printf("guard   %6.2f ns\n", cost(guard) - base);
    printf("by name %6.2f ns\n", cost(by_name) - base);
    printf("value   %6.2f ns\n", cost(value) - base);
    return 0;
}
