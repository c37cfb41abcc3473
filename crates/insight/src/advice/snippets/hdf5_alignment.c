// On the list that H5Fcreate gets; smaller objects stay packed.
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_alignment(fapl, {threshold}, {bytes});
file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, fapl);
H5Pclose(fapl);
