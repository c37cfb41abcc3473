! From Fortran, with the module of MPI 2.
! expect: MPIIO data: COLL_OPENS N, INDEP_WRITES N, COLL_WRITES N, NB_WRITES N, INDEP_READS N, SPLIT_READS N,
!     SYNCS N, VIEWS N, RW_SWITCHES N, MODE 9; w 400 x3N, r 400 x2N
! trace: data @R: w 400R 400, w 400N+400R 400, w 800N+400R 400, r 400R 400, r 400N+400R 400
program main
  use mpi
  implicit none
  integer :: rank, ranks, file, request, error
  integer(kind=MPI_OFFSET_KIND) :: block
  integer :: numbers(100) = 7
  character(len=512) :: folder

  call get_command_argument(1, folder)
  call chdir(trim(folder))
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, error)
  call MPI_File_set_view(file, 0_MPI_OFFSET_KIND, MPI_BYTE, MPI_BYTE, 'native', MPI_INFO_NULL, error)
  block = 400
  call MPI_File_write_at(file, block * rank, numbers, 100, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_write_at_all(file, block * (ranks + rank), numbers, 100, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_iwrite_at(file, block * (2 * ranks + rank), numbers, 100, MPI_INTEGER, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_File_sync(file, error)
  call MPI_File_seek(file, block * rank, MPI_SEEK_SET, error)
  call MPI_File_read(file, numbers, 100, MPI_INTEGER, MPI_STATUS_IGNORE, error)
  call MPI_File_read_at_all_begin(file, block * (ranks + rank), numbers, 100, MPI_INTEGER, error)
  call MPI_File_read_at_all_end(file, numbers, MPI_STATUS_IGNORE, error)
  call MPI_File_close(file, error)
  call MPI_Finalize(error)
end program main
