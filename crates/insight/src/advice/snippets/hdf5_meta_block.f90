! On the list that h5fcreate_f gets.
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_meta_block_size_f(fapl, {bytes}_HSIZE_T, ierr)
call h5fcreate_f({path}, flags, file, ierr, access_prp=fapl)  ! flags as now
call h5pclose_f(fapl, ierr)
