info = MPI.Info.Create()
{python_hints}
fh = MPI.File.Open(comm, {path}, MPI.MODE_CREATE | MPI.MODE_WRONLY, info)
