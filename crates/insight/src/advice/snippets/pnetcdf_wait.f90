do i = 1, size(varids)
  ierr = nf90mpi_iput_var(ncid, varids(i), bufs(:, i), requests(i), start, extent)
end do
ierr = nf90mpi_wait_all(ncid, size(varids), requests, statuses)  ! one collective write for all
