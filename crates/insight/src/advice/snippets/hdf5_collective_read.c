// Every rank calls it, if only with an empty selection.
hid_t dxpl = H5Pcreate(H5P_DATASET_XFER);
H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
H5Dread(dset, H5T_NATIVE_DOUBLE, memspace, filespace, dxpl, buf);
H5Pclose(dxpl);
