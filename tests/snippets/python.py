"""Executes each Python snippet among the names it uses: `python.py serial|mpi SNIPPETS.json`."""

import io
import json
import mmap
import os
import pathlib
import re
import sqlite3
import sys
import tarfile

import numpy as np

kind, snippets = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text())
is_mpi = kind == "mpi"
if is_mpi:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
import h5py


def needs_mpi(code):
    return any(part in code for part in ("MPI.", "comm.", "fh.", "rank", "collective"))


def nothing(*_):
    return None


def shape_for(code):
    """A shape that has room for the chunks of a snippet."""
    chunk = re.search(r"^chunk = \(([^)]*)\)", code, re.M)
    lengths = [int(length) for length in chunk[1].split(",") if length.strip()] if chunk else []
    if len(lengths) == 3:
        return tuple(max(length, least) for length, least in zip(lengths, (2, 128, 64)))
    return (8192,) if "(4096,)" in code else (256, 128, 64)


def names(code, number):
    """What a program around the snippet would have."""
    rank = comm.rank if is_mpi else 0
    path = os.path.abspath("%s-%d" % (kind, number))
    if rank == 0:
        for name in (path, path + ".mpi"):
            pathlib.Path(name).write_bytes(bytes(8 << 20))
    if is_mpi:
        comm.Barrier()
    known = dict(
        io=io, mmap=mmap, os=os, pathlib=pathlib, tarfile=tarfile, np=np, h5py=h5py,
        path=path, paths=[path], fd=os.open(path, os.O_RDWR | os.O_CREAT), offset=0, size=1 << 20,
        count=8, first=8 * rank, records=[b"x" * 100] * 100, parts=[b"x"] * 3, pieces=[("a", b"x")],
        steps=2, step=1, epochs=2, npieces=3, data=bytearray(8 << 20), buf=np.arange(8.0),
        next_buf=np.empty(8), name="name", dtype="f8", nblocks=2, requests=[(4096, 10), (0, 10)],
        writes=[(4096, b"x"), (0, b"y")],
        total=(8 << 20) - 5, rank=rank, shape=shape_for(code),
        folder=os.getcwd(), rows=[(1,), (2,)], statement="INSERT INTO t VALUES (?)",
        use=nothing, compute_next_step=nothing, compute_with=nothing, transfer_item=nothing,
        compute_step=lambda step: b"x", read_piece=lambda i: b"x",
    )
    known["mode"] = "a" if "h5py" in code else "w" if "writelines" in code else "wb"
    known["connection"] = sqlite3.connect(":memory:")
    known["connection"].execute("CREATE TABLE t (x)")
    if "tarfile" in code:
        pathlib.Path("data.tar").unlink(missing_ok=True)
    if "h5py.File(path, mode" in code:
        pathlib.Path(path).unlink(missing_ok=True)
        if is_mpi:
            comm.Barrier()
    if is_mpi:
        known.update(MPI=MPI, comm=comm, nranks=comm.size)
        mode = MPI.MODE_CREATE | MPI.MODE_RDWR
        known["fh"] = MPI.File.Open(comm, path + ".mpi", mode)
        if 'h5py.File(path, "r"' in code:
            h5py.File(path, "w", driver="mpio", comm=comm).close()
        if "dset" in code:
            known["h5"] = h5py.File(path + ".h5", "w", driver="mpio", comm=comm)
            known["dset"] = known["h5"].create_dataset("x", (8 * comm.size,))
    elif "dset[" in code or "h5.flush" in code:
        known["h5"] = h5py.File(path + ".h5", "w")
        known["dset"] = known["h5"].create_dataset("x", (8,))
    elif "create_dataset" in code:
        known["file"] = h5py.File(path + ".h5", "w")
    elif "nc." in code or "var." in code:
        import netCDF4

        nc = known["nc"] = netCDF4.Dataset(path + ".nc", "w")
        known["dimensions"] = ["d%d" % i for i in range(len(known["shape"]))]
        for dimension, length in zip(known["dimensions"], known["shape"]):
            nc.createDimension(dimension, length)
        if "var." in code:
            nc.createDimension("x", 16)
            known["var"] = nc.createVariable("var", "f8", ("x",))
    else:
        known["file"] = open(path + ".file", "wb")
    return known


def close(values):
    """Collective, so it cannot be left to the garbage collector."""
    for value in values:
        if isinstance(value, h5py.File) or is_mpi and isinstance(value, MPI.File) and value:
            value.Close() if is_mpi and isinstance(value, MPI.File) else value.close()


ran = 0
for number, code in enumerate(snippets):
    program = compile(code, "snippet:\n" + code + "\n", "exec")
    # Collective access needs a netCDF built for MPI, which wheels are not: only its name is checked.
    if "set_collective" in code:
        if not is_mpi:
            assert callable(names(code, number)["var"].set_collective)
        continue
    # Newer than what Debian has, so it runs without MPI.
    if needs_mpi(code) == is_mpi:
        known = names(code, number)
        given = known.get("fh")
        exec(program, known)
        close([given, *known.values()])
        ran += 1
assert ran > (10 if is_mpi else 15), ran
print(kind, ran)
