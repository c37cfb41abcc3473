"""Writes a table whose chunks hold four numbers each."""

import os

import h5py
import numpy

SIDE = 500 // int(os.environ.get("PAIR_SCALE", "1")) // 2 * 2
table = numpy.random.default_rng(1).random((SIDE, SIDE))
with h5py.File("table.h5", "w") as file:
    file.create_dataset("x", data=table, chunks=(2, 2))
with h5py.File("table.h5", "r") as file:
    print(file["x"].shape)
