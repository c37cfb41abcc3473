hid_t dcpl = H5Pcreate(H5P_DATASET_CREATE);
hsize_t chunk[{rank}] = {{c_dims}};
H5Pset_chunk(dcpl, {rank}, chunk);
hid_t dapl = H5Pcreate(H5P_DATASET_ACCESS);
H5Pset_chunk_cache(dapl, 12421, {cache}, 1.0);
dset = H5Dcreate(file, name, H5T_NATIVE_DOUBLE, filespace, H5P_DEFAULT, dcpl, dapl);
H5Pclose(dapl);
H5Pclose(dcpl);
