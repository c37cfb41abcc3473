os.posix_fadvise(fd, offset, {bytes}, os.POSIX_FADV_WILLNEED)  # read meanwhile
compute_next_step()
data = os.pread(fd, {bytes}, offset)
