#include <ioglass.h>

void plugin(void);
void plugin(void) {
    IOGLASS_REGION("plug-in");
}
