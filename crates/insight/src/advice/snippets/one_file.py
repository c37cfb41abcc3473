# Each rank's part follows that of the rank before it.
before = comm.exscan(buf.nbytes) or 0
fh = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_WRONLY)
fh.Write_at_all(before, buf)
fh.Close()
