! One selection for the whole array, not one for each element.
call h5dwrite_f(dset, H5T_NATIVE_DOUBLE, buf, dims, ierr, memspace, filespace)
