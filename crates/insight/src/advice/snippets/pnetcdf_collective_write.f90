ierr = nf90mpi_put_var_all(ncid, varid, buf, start, extent)  ! by every rank
