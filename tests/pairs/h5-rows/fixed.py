"""Reads the file once and picks samples from memory."""

import os

import h5py

SCALE = int(os.environ.get("PAIR_SCALE", "1"))

with h5py.File("samples.h5", "r") as file:
    values = file["x"][:]

print(sum(values[i * 37 % 4000].sum() for i in range(100 // SCALE)))
