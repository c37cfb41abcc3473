ierr = nf90mpi_get_var_all(ncid, varid, buf, start, extent)  ! by every rank
