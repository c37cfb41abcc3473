// Each rank's part follows that of the rank before it.
MPI_Offset mine = (MPI_Offset)count * sizeof *buf, before = 0;
MPI_Exscan(&mine, &before, 1, MPI_OFFSET, MPI_SUM, comm);
if (rank == 0)
    before = 0;
MPI_File fh;
MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
MPI_File_write_at_all(fh, before, buf, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_close(&fh);
