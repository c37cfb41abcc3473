nc_var_par_access(ncid, varid, NC_COLLECTIVE);  // #include <netcdf_par.h>
nc_get_vara_double(ncid, varid, start, extent, buf);
