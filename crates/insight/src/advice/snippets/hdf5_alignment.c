// On the list that H5Fcreate gets; smaller objects stay packed.
hid_t fapl = H5Pcreate(H5P_FILE_ACCESS);
H5Pset_alignment(fapl, {threshold}, {bytes});
file = H5Fcreate({path}, flags, H5P_DEFAULT, fapl);  // flags as now
H5Pclose(fapl);
