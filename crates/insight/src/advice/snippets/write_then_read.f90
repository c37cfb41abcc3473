! What one rank wrote, another sees only after all three.
call MPI_File_sync(fh, ierr)
call MPI_Barrier(comm, ierr)
call MPI_File_sync(fh, ierr)
