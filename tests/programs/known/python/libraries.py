# What Python's libraries do is seen, in whichever module it happens. One of them starts `uname`, so
# this is more than one process.
# given: original 70000
# expect: POSIX original @*: OPENS 1.., STATS *, READS 1.., BYTES_READ 70000, SEEKS *
# expect: POSIX copy: OPENS 1, MODE *, STATS *, SEEKS *, WRITES 1.., BYTES_WRITTEN 70000
# expect: POSIX array.npy: OPENS 1.., FILENOS *, DUPS *, MODE *, STATS *, SEEKS *, MEM_NOT_ALIGNED *, MMAPS *,
#     WRITES 1.., BYTES_WRITTEN 1.., READS 1.., BYTES_READ 1..
# expect: STDIO array.npy: OPENS 1.., FDOPENS *, SEEKS *, FLUSHES *, WRITES 1, BYTES_WRITTEN 80000, READS 1, BYTES_READ 80000
# expect: POSIX base.db: OPENS 1.., MODE *, STATS *, SEEKS *, MMAPS *, MEM_NOT_ALIGNED *, FSYNCS *, FDSYNCS 1..,
#     WRITES 1.., BYTES_WRITTEN 8192.., READS *, BYTES_READ *
# expect: POSIX base.db-journal: OPENS 1.., MODE *, STATS *, SEEKS *, MEM_NOT_ALIGNED *, FSYNCS *, FDSYNCS *,
#     WRITES 1.., BYTES_WRITTEN 1.., READS *, BYTES_READ *
# expect: POSIX data.h5: OPENS 2.., MODE *, STATS *, SEEKS *, MMAPS *, MEM_NOT_ALIGNED *, FSYNCS *,
#     WRITES 1.., BYTES_WRITTEN 8000.., READS 1.., BYTES_READ 8000..
import os
import shutil
import sqlite3
import sys

import h5py
import numpy as np

os.chdir(sys.argv[1])
shutil.copy("original", "copy")
np.save("array.npy", np.zeros(10000))
assert len(np.load("array.npy")) == 10000
base = sqlite3.connect("base.db")
base.execute("create table t (a, b)")
base.execute("insert into t values (1, 2)")
base.commit()
base.close()
with h5py.File("data.h5", "w") as f:
    f["x"] = np.zeros(1000)
with h5py.File("data.h5", "r") as f:
    assert len(f["x"][:]) == 1000
