file = h5py.File(path, "w", meta_block_size={bytes})  # h5py 3.8 or newer
