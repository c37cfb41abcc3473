/* The first call changes neither errno nor, unless it loads the runtime, what dlerror says. */
#include <dlfcn.h>
#include <errno.h>
#include <ioglass.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    if (dlopen("/no such library", RTLD_NOW) != NULL) return 2;
    errno = EXDEV;
    IOGLASS_ENTER("first");
    if (errno != EXDEV) return 3;
    const char *error = dlerror(), *setting = getenv("IOGLASS_REGIONS");
    if (setting != NULL) return 0;
    if (error == NULL || strstr(error, "no such library") == NULL) return 4;
    return 0;
}
