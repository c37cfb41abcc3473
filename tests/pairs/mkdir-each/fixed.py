"""Makes one directory for all steps."""

import os

SCALE = int(os.environ.get("PAIR_SCALE", "1"))
done = 0
os.mkdir("work")
for step in range(700 // SCALE):
    done += step
os.rmdir("work")
print(done)
