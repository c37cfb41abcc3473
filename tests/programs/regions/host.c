/* Loads a plug-in, calls it and unloads it, three times. */
#include <dlfcn.h>
#include <ioglass.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv) {
    void *old = NULL;
    if (argc != 2) return 2;
    IOGLASS_REGION("main");
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(argv[1], RTLD_NOW);
        if (library == NULL) return 3;
        void (*plugin)(void);
        void *address = dlsym(library, "plugin");
        memcpy(&plugin, &address, sizeof plugin);
        plugin();
        dlclose(library);
        /* It is gone, and its place is taken. */
        if (dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) != NULL) return 4;
        if (old == NULL)
            old = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return 0;
}
