nc_set_alignment({threshold}, {bytes});  // before nc_create_par; netCDF 4.9 or newer
nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, comm, MPI_INFO_NULL, &ncid);
