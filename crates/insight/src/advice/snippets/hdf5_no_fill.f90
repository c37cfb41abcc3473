call h5pcreate_f(H5P_DATASET_CREATE_F, dcpl, ierr)
call h5pset_fill_time_f(dcpl, H5D_FILL_TIME_NEVER_F, ierr)
call h5dcreate_f(file, name, H5T_NATIVE_DOUBLE, filespace, dset, ierr, dcpl_id=dcpl)
call h5pclose_f(dcpl, ierr)
