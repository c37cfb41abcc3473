MPI_Info info;
MPI_Info_create(&info);
{c_hints}
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_fapl_mpio(fapl, comm, info);
file = H5Fopen({path}, H5F_ACC_RDONLY, fapl);
H5Pclose(fapl);
MPI_Info_free(&info);
