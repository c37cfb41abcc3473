ierr = nf90_var_par_access(ncid, varid, NF90_COLLECTIVE)
ierr = nf90_put_var(ncid, varid, buf, start=start, count=extent)
