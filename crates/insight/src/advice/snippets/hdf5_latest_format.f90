! On the list that h5fcreate_f gets.
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_libver_bounds_f(fapl, H5F_LIBVER_LATEST_F, H5F_LIBVER_LATEST_F, ierr)
call h5fcreate_f({path}, flags, file, ierr, access_prp=fapl)  ! flags as now
call h5pclose_f(fapl, ierr)
