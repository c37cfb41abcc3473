import h5py
import numpy

values = numpy.random.default_rng(1).integers(0, 1000, (4000, 256)).astype("f8")
with h5py.File("samples.h5", "w") as file:
    file.create_dataset("x", data=values, chunks=(1000, 256), compression="gzip")
