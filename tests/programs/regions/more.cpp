#include <ioglass.h>

extern "C" void more_cpp() { IOGLASS_FUNCTION(); }
