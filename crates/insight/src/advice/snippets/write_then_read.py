# What one rank wrote, another sees only after all three.
fh.Sync()
comm.Barrier()
fh.Sync()
