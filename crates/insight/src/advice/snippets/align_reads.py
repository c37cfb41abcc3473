# Whole blocks for each rank: no two ranks read the same one.
block = {block}
blocks = -(-total // block)
first = blocks * rank // nranks * block
end = min(total, blocks * (rank + 1) // nranks * block)
data = os.pread(fd, end - first, first)
