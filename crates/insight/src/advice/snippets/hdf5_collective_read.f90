! Every rank calls it, if only with an empty selection.
call h5pcreate_f(H5P_DATASET_XFER_F, dxpl, ierr)
call h5pset_dxpl_mpio_f(dxpl, H5FD_MPIO_COLLECTIVE_F, ierr)
call h5dread_f(dset, H5T_NATIVE_DOUBLE, buf, dims, ierr, memspace, filespace, dxpl)
call h5pclose_f(dxpl, ierr)
