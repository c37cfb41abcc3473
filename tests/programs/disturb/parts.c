// Loads parts that do not know of each other, and calls a function of each.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        void *part = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
        if (!part)
            return puts(dlerror()), 1;
        int (*call)(void) = (int (*)(void))dlsym(part, "call");
        printf("%d\n", call());
    }
    return 0;
}
