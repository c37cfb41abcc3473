# Every rank calls it; offset is where its part begins, in bytes.
fh = MPI.File.Open(comm, {path}, MPI.MODE_RDONLY)
fh.Read_at_all(offset, buf)
fh.Close()
