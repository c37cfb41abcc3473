# mode as now
file = h5py.File({path}, mode, rdcc_nbytes={cache}, rdcc_nslots=12421)
dset = file.create_dataset(name, shape, dtype, chunks=({python_dims}))
