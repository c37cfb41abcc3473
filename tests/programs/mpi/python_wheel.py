# From Python, with a module for any MPI: it loads one late, and asks which functions there are.
# expect: MPIIO data: COLL_OPENS N, COLL_WRITES N, INDEP_READS N, SPLIT_WRITES N, SYNCS N, RW_SWITCHES 2N, MODE 9; w 800 x2N,
#     r 80 xN
# expect: POSIX by.hand: WRITES N, BYTES_WRITTEN 9N
# trace: data @R: w 800R 800, r 800R 80, w 800N+800R 800
import os
import sys

from mpi4py import MPI

os.chdir(sys.argv[1])
rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
file = MPI.File.Open(MPI.COMM_WORLD, "data", MPI.MODE_CREATE | MPI.MODE_RDWR)
data = bytearray(b"x" * 800)
file.Write_at_all(800 * rank, data)
file.Sync()
MPI.COMM_WORLD.Barrier()
back = bytearray(80)
file.Read_at(800 * rank, back)
assert back == b"x" * 80, back
file.Write_at_all_begin(800 * (ranks + rank), data)
file.Write_at_all_end(data)
file.Close()
with open("by.hand", "ab") as out:
    out.write(b"nine byte")
