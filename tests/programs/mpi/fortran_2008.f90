! From Fortran, with the module of MPI 3.
! expect: MPIIO data: COLL_OPENS N, COLL_WRITES N, INDEP_READS N, RW_SWITCHES N, MODE 9; w 80 xN, r 80 xN
! trace: data @R: w 80R 80, r 80R 80
program main
  use mpi_f08
  implicit none
  integer :: rank
  type(MPI_File) :: file
  double precision :: numbers(10) = 7
  character(len=512) :: folder

  call get_command_argument(1, folder)
  call chdir(trim(folder))
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_File_open(MPI_COMM_WORLD, 'data', MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file)
  call MPI_File_write_at_all(file, 80_MPI_OFFSET_KIND * rank, numbers, 10, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
  call MPI_File_read_at(file, 80_MPI_OFFSET_KIND * rank, numbers, 10, MPI_DOUBLE_PRECISION, MPI_STATUS_IGNORE)
  call MPI_File_close(file)
  call MPI_Finalize()
end program main
