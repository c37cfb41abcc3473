buf = mmap.mmap(-1, size)  # starts at a page; size: a multiple of {alignment}
