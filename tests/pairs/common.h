// What the C programs share.
#pragma once
#include <stdio.h>
#include <stdlib.h>

// So many, or a part of them: tests set PAIR_SCALE to have less done.
static inline long scaled(long count) {
    const char *scale = getenv("PAIR_SCALE");
    long part = count / (scale ? atol(scale) : 1);
    return part > 1 ? part : 1;
}

// Ends the program unless the call succeeded.
static inline void need(int is_fine, const char *what) {
    if (!is_fine) {
        perror(what);
        exit(1);
    }
}
