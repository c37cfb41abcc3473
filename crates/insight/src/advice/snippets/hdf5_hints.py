info = MPI.Info.Create()
{python_hints}
# mode as now
file = h5py.File({path}, mode, driver="mpio", comm=comm, info=info)
