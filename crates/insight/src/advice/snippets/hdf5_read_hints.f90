call MPI_Info_create(info, ierr)
{fortran_hints}
call h5pcreate_f(H5P_FILE_ACCESS_F, fapl, ierr)
call h5pset_fapl_mpio_f(fapl, comm, info, ierr)
call h5fopen_f({path}, H5F_ACC_RDONLY_F, file, ierr, access_prp=fapl)
call h5pclose_f(fapl, ierr)
call MPI_Info_free(info, ierr)
