struct request { off_t offset; size_t bytes; void *to; };

int by_offset(const void *a, const void *b)
{
    off_t x = ((const struct request *)a)->offset, y = ((const struct request *)b)->offset;
    return (x > y) - (x < y);
}

void read_sorted(int fd, struct request *requests, size_t n)
{
    qsort(requests, n, sizeof *requests, by_offset);
    for (size_t i = 0; i < n; i++)
        if (pread(fd, requests[i].to, requests[i].bytes, requests[i].offset) < 0)
            perror("read");
}
