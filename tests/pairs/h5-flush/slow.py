"""Flushes after every row, so that each chunk is packed over and over."""

import os

import h5py
import numpy

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
rows = 150 // SCALE
row = numpy.random.default_rng(1).random(256)
with h5py.File("steps.h5", "w") as file:
    chunk = (min(rows, 128), 256)
    steps = file.create_dataset("x", (rows, 256), "f8", chunks=chunk, compression="gzip")
    for step in range(rows):
        steps[step] = row * step
        file.flush()
with h5py.File("steps.h5", "r") as file:
    print(file["x"][:].sum())
