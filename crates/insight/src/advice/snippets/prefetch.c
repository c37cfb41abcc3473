posix_fadvise(fd, offset, {bytes}, POSIX_FADV_WILLNEED);  // read meanwhile
compute_next_step();
if (pread(fd, data, {bytes}, offset) < 0)
    perror("read");
