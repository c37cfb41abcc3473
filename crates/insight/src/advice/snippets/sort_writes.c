struct piece { off_t offset; size_t bytes; const void *from; };

int in_order(const void *a, const void *b)
{
    off_t x = ((const struct piece *)a)->offset, y = ((const struct piece *)b)->offset;
    return (x > y) - (x < y);
}

void write_sorted(int fd, struct piece *pieces, size_t n)
{
    qsort(pieces, n, sizeof *pieces, in_order);
    for (size_t i = 0; i < n; i++)
        if (pwrite(fd, pieces[i].from, pieces[i].bytes, pieces[i].offset) < 0)
            perror("write");
}
