! Blocks of {block} bytes, {stride} apart; offset is where the first of this rank begins.
block
  integer :: one, blocks
  integer(MPI_ADDRESS_KIND), parameter :: stride = {stride}_MPI_ADDRESS_KIND
  call MPI_Type_contiguous({block}, MPI_BYTE, one, ierr)
  call MPI_Type_commit(one, ierr)
  call MPI_Type_create_resized(one, 0_MPI_ADDRESS_KIND, stride, blocks, ierr)
  call MPI_Type_commit(blocks, ierr)
  call MPI_File_set_view(fh, offset, one, blocks, 'native', MPI_INFO_NULL, ierr)
  call MPI_File_read_all(fh, bytes, nblocks, one, MPI_STATUS_IGNORE, ierr)
  call MPI_Type_free(blocks, ierr)
  call MPI_Type_free(one, ierr)
end block
