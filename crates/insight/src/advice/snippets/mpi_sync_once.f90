! Every rank calls it; offset is where its part of a step begins, in bytes.
do i = 1, steps
  call MPI_File_write_at_all(fh, offset + (i - 1) * total, buf, size(buf), &
                             MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE, ierr)
end do
call MPI_File_sync(fh, ierr)  ! once, when the checkpoint is complete
