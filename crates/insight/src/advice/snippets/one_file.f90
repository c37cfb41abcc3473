! Each rank's part follows that of the rank before it.
block
  integer(MPI_OFFSET_KIND) :: mine, before
  mine = size(buf) * (storage_size(buf) / 8_MPI_OFFSET_KIND)
  call MPI_Exscan(mine, before, 1, MPI_OFFSET, MPI_SUM, comm, ierr)
  if (rank == 0) before = 0
  call MPI_File_open(comm, path, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, fh, ierr)
  call MPI_File_write_at_all(fh, before, buf, size(buf), MPI_DOUBLE_PRECISION, &
                             MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(fh, ierr)
end block
