if (rank == 0) {
    FILE *file = fopen({path}, "rb");
    if (!file || fread(buf, sizeof *buf, count, file) != (size_t)count)
        MPI_Abort(comm, 1);
    fclose(file);
}
MPI_Bcast(buf, count, MPI_DOUBLE, 0, comm);
