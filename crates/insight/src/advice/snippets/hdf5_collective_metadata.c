// On the list that H5Fcreate or H5Fopen gets.
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_fapl_mpio(fapl, comm, MPI_INFO_NULL);
H5Pset_all_coll_metadata_ops(fapl, 1);
H5Pset_coll_metadata_write(fapl, 1);
file = H5Fopen({path}, H5F_ACC_RDWR, fapl);
H5Pclose(fapl);
