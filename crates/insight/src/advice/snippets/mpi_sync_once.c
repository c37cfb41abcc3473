// Every rank calls it; offset is where its part of a step begins, in bytes.
for (int step = 0; step < steps; step++)
    MPI_File_write_at_all(fh, offset + step * total, buf, count, MPI_DOUBLE, MPI_STATUS_IGNORE);
MPI_File_sync(fh);  // once, when the checkpoint is complete
