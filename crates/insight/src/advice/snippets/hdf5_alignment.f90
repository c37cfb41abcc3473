! On the list that h5fcreate_f gets; smaller objects stay packed.
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_alignment_f(fapl, {threshold}_HSIZE_T, {bytes}_HSIZE_T, ierr)
call h5fcreate_f({path}, flags, file, ierr, access_prp=fapl)  ! flags as now
call h5pclose_f(fapl, ierr)
