// Whole blocks for each rank: no two ranks write to the same one.
long long block = {block}, blocks = (total + block - 1) / block;
long long first = blocks * rank / nranks * block;
long long end = rank + 1 < nranks ? blocks * (rank + 1) / nranks * block : total;
if (pwrite(fd, data + first, end - first, first) < 0)
    perror("write");
