call MPI_File_iread_at(fh, offset, next, size(next), MPI_DOUBLE_PRECISION, request, ierr)
call compute_with(buf)
call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)  ! now next can be used
