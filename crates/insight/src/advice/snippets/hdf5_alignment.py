# Smaller objects stay packed; mode as now.
file = h5py.File({path}, mode, alignment_threshold={threshold}, alignment_interval={bytes})
