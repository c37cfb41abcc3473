var = nc.createVariable(name, "f8", dimensions, chunksizes=({python_dims}), chunk_cache={cache})
