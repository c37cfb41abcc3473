ierr = nf90_def_var_chunking(ncid, varid, NF90_CHUNKED, [{fortran_dims}])
