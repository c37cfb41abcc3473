! Every rank calls it; offset is where its part begins, in bytes.
call MPI_File_open(comm, {path}, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, fh, ierr)
call MPI_File_write_at_all(fh, offset, buf, size(buf), MPI_DOUBLE_PRECISION, &
                           MPI_STATUS_IGNORE, ierr)
call MPI_File_close(fh, ierr)
