# The os module's calls are the system's.
# expect: POSIX data: OPENS 2, DUPS 1, MODE 0600, SEEKS 1, FSYNCS 1, FDSYNCS 1, STATS 2, MEM_NOT_ALIGNED *;
#     w 0 100, w 500 50, w 100 30, r 0 40, r 500 20, r 200 30
# expect: POSIX sent: OPENS 1, MODE 0644, MEM_NOT_ALIGNED *; w 0 60, w 60 70
# expect: POSIX source: OPENS 1, STATS *, SEEKS *; r 0 60, r 60 70
# given: source 1000
# expect: POSIX moved: RENAME_SOURCES 1, OPENS 1, MODE 0644; w 0 3
# expect: POSIX target: RENAME_TARGETS 1, RENAMED_FROM id(moved)
import os
import sys

os.chdir(sys.argv[1])
fd = os.open("data", os.O_RDWR | os.O_CREAT, 0o600)
assert os.write(fd, bytes(100)) == 100
assert os.pwrite(fd, bytes(50), 500) == 50
assert os.writev(fd, [bytes(10), bytes(20)]) == 30
assert os.lseek(fd, 0, os.SEEK_SET) == 0
assert len(os.read(fd, 40)) == 40
assert len(os.pread(fd, 20, 500)) == 20
assert os.preadv(fd, [bytearray(10), bytearray(20)], 200) == 30
os.fsync(fd)
os.fdatasync(fd)
os.fstat(fd)
os.stat("data")
again = os.dup(fd)
os.close(fd)
os.close(again)

source = os.open("source", os.O_RDONLY)
sent = os.open("sent", os.O_WRONLY | os.O_CREAT, 0o644)
assert os.sendfile(sent, source, None, 60) == 60
assert os.copy_file_range(source, sent, 70) == 70
moved = os.open("moved", os.O_WRONLY | os.O_CREAT, 0o644)
os.write(moved, b"abc")
os.replace("moved", "target")
