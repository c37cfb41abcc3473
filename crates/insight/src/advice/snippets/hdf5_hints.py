info = MPI.Info.Create()
{python_hints}
file = h5py.File(path, "w", driver="mpio", comm=comm, info=info)
