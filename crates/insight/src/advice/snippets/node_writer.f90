block
  integer :: node, local, on_node
  character(len=12) :: number
  double precision, allocatable :: all(:)
  call MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierr)
  call MPI_Comm_rank(node, local, ierr)
  call MPI_Comm_size(node, on_node, ierr)
  allocate (all(merge(on_node * size(buf), 1, local == 0)))
  call MPI_Gather(buf, size(buf), MPI_DOUBLE_PRECISION, &
                  all, size(buf), MPI_DOUBLE_PRECISION, 0, node, ierr)
  if (local == 0) then  ! one writer per node, a file each
    write (number, '(i0)') rank
    open (newunit=unit, file=trim(path) // '.' // number, access='stream', form='unformatted', &
          position=position)  ! position as now
    write (unit) all
    close (unit)
  end if
  call MPI_Comm_free(node, ierr)
end block
