# Whole blocks for each rank: no two ranks write to the same one.
block = {block}
blocks = -(-total // block)
first = blocks * rank // nranks * block
end = min(total, blocks * (rank + 1) // nranks * block)
os.pwrite(fd, data[first:end], first)
