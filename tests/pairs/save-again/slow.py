"""Saves all results after every step."""

import os

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
results = bytearray((32 * 1024 * 1024) // SCALE)
for step in range(24):
    results[step] = step
    with open("results.bin", "wb") as file:
        file.write(results)
