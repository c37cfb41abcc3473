call MPI_Info_create(info, ierr)
{fortran_hints}
call MPI_File_open(comm, {path}, MPI_MODE_CREATE + MPI_MODE_WRONLY, info, fh, ierr)
call MPI_Info_free(info, ierr)
