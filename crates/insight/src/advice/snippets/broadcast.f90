if (rank == 0) then
  open (newunit=unit, file={path}, access='stream', form='unformatted', status='old')
  read (unit) buf
  close (unit)
end if
call MPI_Bcast(buf, size(buf), MPI_DOUBLE_PRECISION, 0, comm, ierr)
