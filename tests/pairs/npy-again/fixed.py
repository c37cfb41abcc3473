"""Loads its table once."""

import numpy

table = numpy.load("weights.npy")


def mean_of(part):
    return table[part::20].mean()


print(sum(mean_of(part) for part in range(20)))
