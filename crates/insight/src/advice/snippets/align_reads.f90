! Whole blocks for each rank: no two ranks read the same one.
block
  integer(MPI_OFFSET_KIND) :: length, blocks, first, last
  length = {block}_MPI_OFFSET_KIND
  blocks = (total + length - 1) / length
  first = blocks * rank / nranks * length
  last = min(total, blocks * (rank + 1) / nranks * length)
  call MPI_File_read_at_all(fh, first, bytes(first + 1:last), int(last - first), &
                            MPI_BYTE, MPI_STATUS_IGNORE, ierr)
end block
