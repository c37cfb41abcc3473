/* Loads the library itself and says whether it counts regions and whether the program has more
 * rights than its user. */
#include <dlfcn.h>
#include <stdio.h>
#include <sys/auxv.h>

int main(int count, char **words) {
    void *library = dlopen(words[count - 1], RTLD_NOW);
    const void *(*regions)(unsigned) = NULL;
    if (library)
        *(void **)&regions = dlsym(library, "ioglass_regions");
    if (!regions)
        return 9;
    printf("%lu %d\n", getauxval(AT_SECURE), regions(1) != NULL);
    return 0;
}
