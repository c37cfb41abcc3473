# mode as now
file = h5py.File({path}, mode, libver="latest")
