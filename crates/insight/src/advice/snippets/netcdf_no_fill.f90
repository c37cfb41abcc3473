ierr = nf90_def_var_fill(ncid, varid, NF90_NOFILL, 0)  ! after nf90_def_var, for each variable
