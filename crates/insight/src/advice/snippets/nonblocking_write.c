MPI_Request writing;
MPI_File_iwrite_at_all(fh, offset, buf, count, MPI_DOUBLE, &writing);
compute_next_step();                    // leaves buf alone
MPI_Wait(&writing, MPI_STATUS_IGNORE);  // now buf can be filled again
