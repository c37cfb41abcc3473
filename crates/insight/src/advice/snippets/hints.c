MPI_Info info;
MPI_Info_create(&info);
{c_hints}
MPI_File_open(comm, {path}, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &fh);
MPI_Info_free(&info);
