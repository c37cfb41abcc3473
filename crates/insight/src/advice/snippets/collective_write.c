// Every rank calls it; offset is where its part begins, in bytes.
MPI_File fh;
MPI_File_open(comm, {path}, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &fh);
MPI_File_write_at_all(fh, offset, buf, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_close(&fh);
