hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
hsize_t chunk[{rank}] = {{c_dims}};
H5Pset_chunk(dcpl, {rank}, chunk);
H5Pset_fill_time(dcpl, H5D_FILL_TIME_NEVER);
dset = H5Dcreate(file, name, H5T_NATIVE_DOUBLE, filespace, H5P_DEFAULT, dcpl, H5P_DEFAULT);
H5Pclose(dcpl);
