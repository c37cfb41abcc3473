file = h5py.File(path, "w", rdcc_nbytes={cache}, rdcc_nslots=12421)
dset = file.create_dataset(name, shape, dtype, chunks=({python_dims}))
