file = h5py.File(path, "w", libver="latest")
