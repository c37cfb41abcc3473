/* A program of three sources, which find the runtime together. */
#include <ioglass.h>

void more_c(void);
void more_cpp(void);

int main(void) {
    IOGLASS_REGION("main");
    more_c();
    more_cpp();
    return 0;
}
