# Every rank calls it; offset is where its part begins, in bytes.
fh = MPI.File.Open(comm, {path}, MPI.MODE_CREATE | MPI.MODE_WRONLY)
fh.Write_at_all(offset, buf)
fh.Close()
