// On the list that H5Fcreate gets.
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_libver_bounds(fapl, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
file = H5Fcreate({path}, flags, H5P_DEFAULT, fapl);  // flags as now
H5Pclose(fapl);
