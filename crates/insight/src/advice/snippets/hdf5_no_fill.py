dset = file.create_dataset(name, shape, dtype, fill_time="never")  # h5py 3.9 or newer
