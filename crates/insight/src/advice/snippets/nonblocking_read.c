MPI_Request reading;
MPI_File_iread_at(fh, offset, next, count, MPI_DOUBLE, &reading);
compute_with(buf);
MPI_Wait(&reading, MPI_STATUS_IGNORE);  // now next can be used
