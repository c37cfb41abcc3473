# h5py over MPI.
#
# expect: H5F a.h5: OPENS N, USE_MPIIO 1
# expect: H5D a.h5:/together: OPENS N, READS N, WRITES N, BYTES_READ 256N, BYTES_WRITTEN 512N, RW_SWITCHES N,
#     REGULAR_HYPERSLAB_SELECTS 2N, SIZE_READ_AGG_100_1K N, SIZE_WRITE_AGG_100_1K N, ACCESS1_ACCESS 512,
#     ACCESS1_COUNT N, ACCESS1_LENGTH_D4 16, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D4 1, ACCESS1_STRIDE_D5 1,
#     ACCESS2_ACCESS 256, ACCESS2_COUNT N, ACCESS2_LENGTH_D4 16, ACCESS2_LENGTH_D5 2, ACCESS2_STRIDE_D4 1,
#     ACCESS2_STRIDE_D5 1, DATASPACE_NDIMS 2, DATASPACE_NPOINTS 64N, DATATYPE_SIZE 8,
#     USE_MPIIO_COLLECTIVE 1
# expect: H5D a.h5:/alone: OPENS N, WRITES N, BYTES_WRITTEN 8N, REGULAR_HYPERSLAB_SELECTS N,
#     SIZE_WRITE_AGG_0_100 N, ACCESS1_ACCESS 8, ACCESS1_COUNT N, ACCESS1_LENGTH_D5 1, ACCESS1_STRIDE_D5 1,
#     DATASPACE_NDIMS 1, DATASPACE_NPOINTS N, DATATYPE_SIZE 8

import sys

import h5py
import numpy
from mpi4py import MPI

ranks = MPI.COMM_WORLD
with h5py.File(sys.argv[1] + "/a.h5", "w", driver="mpio", comm=ranks) as file:
    together = file.create_dataset("together", (ranks.size * 4, 16), dtype="f8")
    alone = file.create_dataset("alone", (ranks.size,), dtype="i8")
    with together.collective:
        together[ranks.rank * 4 : ranks.rank * 4 + 4, :] = numpy.full((4, 16), ranks.rank)
    alone[ranks.rank] = ranks.rank
    ranks.Barrier()
    assert (together[0:2, :] == 0).all()
