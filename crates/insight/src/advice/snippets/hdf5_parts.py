# fill_time: h5py 3.9 or newer
chunk = ({python_dims})
dset = file.create_dataset(name, shape, dtype, chunks=chunk, fill_time="never")
