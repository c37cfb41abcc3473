call h5fopen_f({path}, flags, file, ierr)  ! before the loop, not in it; flags as now
