"""Writes every line by a call of its own."""

import os

SCALE = int(os.environ.get("PAIR_SCALE", "1"))

with open("table.csv", "wb", buffering=0) as table:
    for i in range(600000 // SCALE):
        table.write(b"%d,%d\n" % (i, i * i))
