for offset, data in sorted(writes):  # collected before
    os.pwrite(fd, data, offset)
