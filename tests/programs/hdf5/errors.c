// What fails is not counted, and says what it says without us; so does what a program has set.
//
// expect: H5F a.h5: OPENS 1
// expect: H5D a.h5:/set: OPENS 2, READS 1, BYTES_READ 16, SIZE_READ_AGG_0_100 1, ACCESS1_ACCESS 16,
//     ACCESS1_COUNT 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 4, DATATYPE_SIZE 4

#include <assert.h>
#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

static herr_t print(hid_t stack, void *data) {
    (void)stack;
    fprintf(stderr, "%s\n", (const char *)data);
    return 0;
}

static herr_t print_old(void *data) {
    fprintf(stderr, "%s, the old way\n", (const char *)data);
    return 0;
}

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0);
    hsize_t size = 4;
    int data[4];
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5Pcreate(H5P_FILE_ACCESS));
    hid_t set = H5Dcreate2(file, "set", H5T_NATIVE_INT, H5Screate_simple(1, &size, NULL), 0, 0, 0);
    assert(H5Fopen("missing.h5", H5F_ACC_RDONLY, H5P_DEFAULT) < 0);
    assert(H5Dopen2(file, "missing", H5P_DEFAULT) < 0);
    H5Eset_auto2(H5E_DEFAULT, print, "new");
    assert(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, set, H5P_DEFAULT, data) < 0);
    /* The stack of errors is that of the last call. */
    assert(H5Eget_num(H5E_DEFAULT) > 0);
    assert(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert(H5Eget_num(H5E_DEFAULT) == 0);
    H5Eset_auto1(print_old, "set by H5Eset_auto1");
    H5Dclose(set);
    set = H5Dopen2(file, "set", H5P_DEFAULT);
    assert(H5Iget_ref(set) == 1 && H5Iget_ref(file) == 1);
    assert(H5Fget_obj_count(file, H5F_OBJ_ALL) == 2);
    assert(H5Dopen2(file, "missing", H5P_DEFAULT) < 0);
    H5E_auto1_t printer;
    void *told;
    assert(H5Eget_auto1(&printer, &told) >= 0 && printer == print_old);
    H5Dclose(set);
    assert(H5Fclose(file) >= 0 && H5Fclose(file) < 0);
    return 0;
}
