for offset, size in sorted(requests):
    use(os.pread(fd, size, offset))
