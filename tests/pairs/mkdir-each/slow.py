"""Makes a directory for every step and removes it again."""

import os

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
done = 0
for step in range(700 // SCALE):
    os.mkdir("work")
    done += step
    os.rmdir("work")
print(done)
