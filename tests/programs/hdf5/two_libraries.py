# h5py and netCDF4 each bring an HDF5 library of their own. Ids of the one mean nothing to the other.
#
# expect: H5F a.h5: OPENS 2
# expect: H5F b.nc: OPENS 2, FLUSHES ?
# expect: H5D a.h5:/x: OPENS 3, READS 2, WRITES 1, BYTES_READ 2000, BYTES_WRITTEN 40000, RW_SWITCHES 1,
#     REGULAR_HYPERSLAB_SELECTS 2, SIZE_READ_AGG_100_1K 1, SIZE_READ_AGG_1K_10K 1, SIZE_WRITE_AGG_10K_100K 1,
#     ACCESS1_ACCESS 40000, ACCESS1_COUNT 1, ACCESS2_ACCESS 1200, ACCESS2_COUNT 1, ACCESS2_LENGTH_D4 50,
#     ACCESS2_LENGTH_D5 3, ACCESS2_STRIDE_D4 1, ACCESS2_STRIDE_D5 4, ACCESS3_ACCESS 800, ACCESS3_COUNT 1,
#     ACCESS3_LENGTH_D4 10, ACCESS3_LENGTH_D5 10, ACCESS3_STRIDE_D4 5, ACCESS3_STRIDE_D5 1,
#     DATASPACE_NDIMS 2, DATASPACE_NPOINTS 5000, DATATYPE_SIZE 8, CHUNK_SIZE_D1 50, CHUNK_SIZE_D2 10
# expect: H5D a.h5:/g/y: OPENS 2, READS 1, WRITES 1, BYTES_READ 40, BYTES_WRITTEN 40, RW_SWITCHES 1,
#     SIZE_READ_AGG_0_100 1, SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 40, ACCESS1_COUNT 2,
#     DATASPACE_NDIMS 1, DATASPACE_NPOINTS 10, DATATYPE_SIZE 4
# expect: H5D a.h5:/z: OPENS 2, READS 1, WRITES 5, BYTES_READ 160, BYTES_WRITTEN 160, RW_SWITCHES 1,
#     REGULAR_HYPERSLAB_SELECTS 5, SIZE_READ_AGG_100_1K 1, SIZE_WRITE_AGG_0_100 5, ACCESS1_ACCESS 32,
#     ACCESS1_COUNT 5, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D5 1, ACCESS2_ACCESS 160, ACCESS2_COUNT 1,
#     DATASPACE_NDIMS 1, DATASPACE_NPOINTS 20, DATATYPE_SIZE 8, CHUNK_SIZE_D1 8
# expect: H5D a.h5:/late: OPENS 2, READS 1, WRITES 1, BYTES_READ 24, BYTES_WRITTEN 24, RW_SWITCHES 1,
#     SIZE_READ_AGG_0_100 1, SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 24, ACCESS1_COUNT 2, DATASPACE_NDIMS 1,
#     DATASPACE_NPOINTS 3, DATATYPE_SIZE 8
# expect: H5D a.h5:(unnamed): OPENS 2, WRITES 2, BYTES_WRITTEN 16, SIZE_WRITE_AGG_0_100 2, ACCESS1_ACCESS 8,
#     ACCESS1_COUNT 2, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 1, DATATYPE_SIZE 8
# expect: H5D b.nc:/v: OPENS 2, READS 1, WRITES 3, BYTES_READ 96, BYTES_WRITTEN 96, RW_SWITCHES 1,
#     REGULAR_HYPERSLAB_SELECTS 4, SIZE_READ_AGG_0_100 1, SIZE_WRITE_AGG_0_100 3, ACCESS1_ACCESS 32,
#     ACCESS1_COUNT 3, ACCESS1_LENGTH_D4 8, ACCESS1_LENGTH_D5 1, ACCESS1_STRIDE_D4 1, ACCESS1_STRIDE_D5 1,
#     ACCESS2_ACCESS 96, ACCESS2_COUNT 1, ACCESS2_LENGTH_D4 8, ACCESS2_LENGTH_D5 3, ACCESS2_STRIDE_D4 1,
#     ACCESS2_STRIDE_D5 1, DATASPACE_NDIMS 2, DATASPACE_NPOINTS 24, DATATYPE_SIZE 4, CHUNK_SIZE_D1 8,
#     CHUNK_SIZE_D2 1
# expect: H5D b.nc:/p: OPENS ?, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4
# expect: H5D b.nc:/t: OPENS ?, DATASPACE_NDIMS 1, DATATYPE_SIZE 4, CHUNK_SIZE_D1 ?

import os
import sys

import h5py
import netCDF4
import numpy

os.chdir(sys.argv[1])
with h5py.File("a.h5", "w") as a, netCDF4.Dataset("b.nc", "w") as b:
    x = a.create_dataset("x", data=numpy.ones((100, 50)), chunks=(10, 50))
    a.create_group("g").create_dataset("y", data=numpy.arange(10, dtype="i4"))
    z = a.create_dataset("z", (0,), maxshape=(None,), chunks=(8,), dtype="i8")
    # Written first and named then; two never get a name.
    a["late"] = numpy.arange(3)
    a.create_dataset(None, data=numpy.arange(1))
    a.create_dataset(None, data=numpy.arange(1))
    b.createDimension("t", None)
    b.createDimension("p", 8)
    v = b.createVariable("v", "f4", ("t", "p"), chunksizes=(1, 8))
    for i in range(5):
        z.resize((4 * (i + 1),))
        z[4 * i : 4 * i + 4] = numpy.full(4, i)
        if i < 3:
            v[i, :] = i
with h5py.File("a.h5", "r") as a, netCDF4.Dataset("b.nc") as b:
    assert a["x"][10:20, ::5].sum() == 100
    assert a["x"][[1, 5, 9], :].sum() == 150
    assert a["g"]["y"][()].sum() == 45
    assert b["v"][:].sum() == 24
    assert a["z"][()].sum() == 40
    assert a["late"][()].sum() == 3
