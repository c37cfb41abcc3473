// On the list that H5Fcreate gets.
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
H5Pclose(fapl);
