"""The standard library's ways to files: text, bytes, maps, temporary files, archives, copies, locks."""

import fcntl
import io
import mmap
import os
import pathlib
import shutil
import tarfile
import tempfile
import zipfile

pathlib.Path("made").write_text("text\n" * 1000)
print(len(pathlib.Path("made").read_bytes()), pathlib.Path("made").stat().st_size)
with open("made", "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
    memory[0:4] = b"TEXT"
    print(memory.find(b"text"), file.readline(), file.seek(-5, io.SEEK_END), file.read())
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.fsync(file.fileno())
shutil.copy2("made", "copied")
shutil.copytree("tree", "tree2", symlinks=True)
shutil.move("copied", "moved")
with tempfile.TemporaryFile(dir=".") as file:
    file.write(b"temporary" * 1000)
    print(file.tell(), oct(os.fstat(file.fileno()).st_mode))
with tempfile.NamedTemporaryFile(dir=".", mode="w") as file:
    file.write("x")
with zipfile.ZipFile("archive.zip", "w") as archive:
    archive.write("words")
    archive.writestr(zipfile.ZipInfo("inner"), "inner")
print(zipfile.ZipFile("archive.zip").testzip(), sorted(zipfile.ZipFile("archive.zip").namelist()))
with tarfile.open("archive.tar", "w:xz") as archive:
    archive.add("numbers")
print(tarfile.open("archive.tar").getnames())
for action in (
    lambda: open("nowhere"),
    lambda: open("tree", "w"),
    lambda: os.rename("nowhere", "x"),
    lambda: os.write(999, b""),
    lambda: os.open("words", os.O_CREAT | os.O_EXCL),
):
    try:
        action()
    except OSError as problem:
        print(type(problem).__name__, problem.errno, problem)
fd = os.open("vectors", os.O_RDWR | os.O_CREAT, 0o600)
print(os.writev(fd, [b"ab", b"cd"]), os.pwritev(fd, [b"x"], 10), os.preadv(fd, [bytearray(4)], 0))
print(os.sendfile(1, fd, 0, 4), os.copy_file_range(fd, fd, 2, 0, 20), os.listdir("tree2/inner") != [])
os.ftruncate(fd, 7)
os.close(fd)
