MPI_Info info;
MPI_Info_create(&info);
{c_hints}
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_fapl_mpio(fapl, comm, info);
file = H5Fcreate({path}, flags, H5P_DEFAULT, fapl);  // flags as now
H5Pclose(fapl);
MPI_Info_free(&info);
