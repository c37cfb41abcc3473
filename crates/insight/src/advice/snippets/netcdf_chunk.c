size_t chunk[{rank}] = {{c_dims}};
nc_def_var_chunking(ncid, varid, NC_CHUNKED, chunk);
nc_set_var_chunk_cache(ncid, varid, {cache}, 12421, 1.0f);
