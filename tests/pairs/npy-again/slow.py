"""Loads its table for every question."""

import numpy


def mean_of(part):
    table = numpy.load("weights.npy")
    return table[part::20].mean()


print(sum(mean_of(part) for part in range(20)))
