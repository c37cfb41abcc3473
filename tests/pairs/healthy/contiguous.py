"""Writes a dataset in a few large pieces."""

import os

import h5py
import numpy

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
rows = 4096 // SCALE
values = numpy.random.default_rng(1).random((rows, 1024))
with h5py.File("field.h5", "w") as file:
    field = file.create_dataset("x", (4 * rows, 1024), "f8")
    for part in range(4):
        field[part * rows : (part + 1) * rows] = values
