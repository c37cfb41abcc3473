# Every rank calls it; offset is where its part of a step begins, in bytes.
for step in range(steps):
    fh.Write_at_all(offset + step * total, buf)
fh.Sync()  # once, when the checkpoint is complete
