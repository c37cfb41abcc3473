# mode as now
file = h5py.File({path}, mode, meta_block_size={bytes})  # h5py 3.8 or newer
