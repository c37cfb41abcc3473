/* Is in a region until its standard input ends. */
#include <ioglass.h>
#include <unistd.h>

int main(void) {
    char byte;
    IOGLASS_REGION("main");
    IOGLASS_ENTER("waits");
    ioglass_snapshot();
    while (read(0, &byte, 1) > 0) {
    }
    IOGLASS_LEAVE("waits");
    return 0;
}
