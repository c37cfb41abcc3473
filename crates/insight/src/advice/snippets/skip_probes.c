int fd = open(path, O_RDONLY);  // no stat() or access() before
if (fd < 0 && errno != ENOENT)
    perror(path);
