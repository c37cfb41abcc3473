# One file of HDF5 in which ranks write 4 KiB of each of 160 data sets, each on its own.
# ranks: 8
# must: access_granularity interface_choice
# may: throughput_utilization
import os
import sys

from mpi4py import MPI
import h5py
import numpy

ranks = MPI.COMM_WORLD
os.chdir(sys.argv[1])
values = numpy.zeros(1024, dtype="f4")
first = ranks.rank * len(values)
with h5py.File("steps.h5", "w", driver="mpio", comm=ranks) as file:
    for step in range(20):
        group = file.create_group(f"step_{step}")
        for name in "xyzuvwab":
            data = group.create_dataset(name, (ranks.size * len(values),), dtype="f4")
            data[first : first + len(values)] = values
