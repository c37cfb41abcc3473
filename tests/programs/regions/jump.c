/* Jumps over the begin of a guard. */
#include <ioglass.h>
#include <string.h>

static void dirty(void) {
    volatile char stack[4096];
    memset((char *)stack, 0xa5, sizeof stack);
}

static int jump(int over) {
    if (over) goto inside;
    {
        IOGLASS_REGION("jumped over");
    inside:
        if (over == 2) return 1;
    }
    return 0;
}

int main(void) {
    for (int i = 0; i < 100; i++) {
        dirty();
        jump(i % 3);
    }
    return 0;
}
