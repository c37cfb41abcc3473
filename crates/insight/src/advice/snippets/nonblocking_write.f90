call MPI_File_iwrite_at_all(fh, offset, buf, size(buf), MPI_DOUBLE_PRECISION, request, ierr)
call compute_next_step()                         ! leaves buf alone
call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)  ! now buf can be filled again
