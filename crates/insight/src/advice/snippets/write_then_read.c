// What one rank wrote, another sees only after all three.
MPI_File_sync(fh);
MPI_Barrier(comm);
MPI_File_sync(fh);
