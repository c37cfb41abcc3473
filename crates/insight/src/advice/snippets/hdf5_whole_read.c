// One selection for the whole array, not one for each element.
H5Dread(dset, H5T_NATIVE_DOUBLE, memspace, filespace, H5P_DEFAULT, buf);
