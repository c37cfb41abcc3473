"""numpy and h5py: arrays saved, loaded, mapped, compressed."""

import h5py
import numpy

array = numpy.arange(100000, dtype="f8").reshape(100, 1000)
numpy.save("array.npy", array)
print(numpy.load("array.npy").sum(), numpy.load("array.npy", mmap_mode="r")[5, 7])
array[:3].tofile("raw")
print(numpy.fromfile("raw", count=10, offset=80))
numpy.savetxt("text", array[:5, :5])
print(numpy.loadtxt("text").shape)
mapped = numpy.memmap("mapped", dtype="i4", mode="w+", shape=(1000,))
mapped[:] = numpy.arange(1000)
mapped.flush()

with h5py.File("data.h5", "w") as file:
    file["plain"] = array
    chunked = file.create_dataset("chunked", (100, 1000), chunks=(10, 100), compression="gzip")
    chunked[...] = array
    chunked[5, 5:10] = -1
    file.create_group("group").attrs["note"] = "text"
    print(sorted(file))
with h5py.File("data.h5", "r+") as file:
    print(file["chunked"][5, :12], file["plain"][99, 999], file["group"].attrs["note"])
    del file["plain"]
try:
    h5py.File("words", "r")
except OSError as problem:
    print(type(problem).__name__)
