// Loads and unloads a part of itself; each time the parts come to lie elsewhere.
#include <dlfcn.h>
#include <stdio.h>
#include <sys/mman.h>

int main(int count, char **words) {
    for (int round = 0; round < 3 && count > 1; round++) {
        void *part = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
        if (!part)
            return puts(dlerror()), 1;
        int (*call)(void) = (int (*)(void))dlsym(part, "one_submission");
        printf("%d\n", call());
        dlclose(part);
        // Nothing is to be loaded again where it was.
        for (int i = 0; i < 64; i++)
            mmap(NULL, 4096 << i % 6, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    return 0;
}
