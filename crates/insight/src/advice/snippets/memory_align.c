void *aligned;
if (posix_memalign(&aligned, {alignment}, bytes) != 0)  // bytes: a multiple of {alignment}
    abort();
