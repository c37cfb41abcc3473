file = h5py.File({path}, mode)  # before the loop, not in it; mode as now
