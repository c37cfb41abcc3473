info = MPI.Info.Create()
{python_hints}
file = h5py.File({path}, "r", driver="mpio", comm=comm, info=info)
