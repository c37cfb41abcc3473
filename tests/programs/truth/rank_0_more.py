# Files of each rank in requests of 1 MiB, of which rank 0 writes ten times as many.
# ranks: 8
# must: parallelism_efficiency
import os
import sys

from mpi4py import MPI

rank = MPI.COMM_WORLD.rank
os.chdir(sys.argv[1])
fd = os.open(f"own.{rank}", os.O_CREAT | os.O_WRONLY)
for _ in range(160 if rank == 0 else 16):
    os.write(fd, bytes(1 << 20))
os.close(fd)
