#include <ioglass.h>

void more_c(void);
void more_c(void) { IOGLASS_FUNCTION(); }
