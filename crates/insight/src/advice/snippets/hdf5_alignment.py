# Smaller objects stay packed.
file = h5py.File(path, "w", alignment_threshold={threshold}, alignment_interval={bytes})
