nc_set_alignment({threshold}, {bytes});  // before nc_create_par; netCDF 4.9 or newer
nc_create_par({path}, cmode, comm, MPI_INFO_NULL, &ncid);  // cmode as now
