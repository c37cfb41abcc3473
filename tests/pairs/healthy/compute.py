"""Computes, and writes one number."""

import os

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
total = sum(i * i % 7 for i in range(8_000_000 // SCALE))
with open("result.txt", "w") as result:
    result.write(f"{total}\n")
