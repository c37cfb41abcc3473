! On the list that h5fcreate_f or h5fopen_f gets.
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_fapl_mpio_f(fapl, comm, MPI_INFO_NULL, ierr)
call h5pset_all_coll_metadata_ops_f(fapl, .true., ierr)
call h5pset_coll_metadata_write_f(fapl, .true., ierr)
call h5fopen_f({path}, H5F_ACC_RDWR_F, file, ierr, access_prp=fapl)
call h5pclose_f(fapl, ierr)
