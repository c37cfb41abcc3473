# Python's own files.
# expect: POSIX binary: OPENS 2, MODE *, STATS *, SEEKS *, MEM_NOT_ALIGNED *, WRITES 2, BYTES_WRITTEN 10300,
#     READS 1.., BYTES_READ 10300, MAX_BYTE_WRITTEN 10299, MAX_BYTE_READ 10299
# expect: POSIX text: OPENS 2, MODE *, STATS *, SEEKS *, MEM_NOT_ALIGNED *, WRITES 1.., BYTES_WRITTEN 50000,
#     READS 1.., BYTES_READ 50000
# expect: POSIX path: OPENS 2, MODE *, STATS *, SEEKS *, MEM_NOT_ALIGNED *, WRITES 1, BYTES_WRITTEN 5,
#     READS 1.., BYTES_READ 5
# expect: POSIX unbuffered: OPENS 1, MODE *, STATS *, SEEKS *, MEM_NOT_ALIGNED *; w 0 10 x20
import os
import pathlib
import sys

os.chdir(sys.argv[1])
with open("binary", "wb", buffering=1024) as f:
    f.write(bytes(300))
    f.write(bytes(10000))
with open("binary", "rb") as f:
    assert len(f.read()) == 10300
with open("text", "w") as f:
    for i in range(5000):
        print(f"line{i:05}", file=f)
with open("text") as f:
    assert sum(1 for line in f) == 5000
path = pathlib.Path("path")
path.write_bytes(b"bytes")
assert path.read_text() == "bytes"
with open("unbuffered", "wb", buffering=0) as f:
    for i in range(20):
        f.write(bytes(10))
