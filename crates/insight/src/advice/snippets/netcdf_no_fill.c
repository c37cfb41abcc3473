nc_def_var_fill(ncid, varid, NC_NOFILL, NULL);  // after nc_def_var, for each variable
