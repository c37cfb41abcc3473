// A selection that the library was asked for and that then changes, and ids that begin anew.
//
// expect: H5F a.h5: OPENS 2
// expect: H5D a.h5:/line: OPENS 2, WRITES 4, BYTES_WRITTEN 108, REGULAR_HYPERSLAB_SELECTS 1,
//     SIZE_WRITE_AGG_0_100 4, ACCESS1_ACCESS 32, ACCESS1_COUNT 3, ACCESS2_ACCESS 12, ACCESS2_COUNT 1,
//     ACCESS2_LENGTH_D5 3, ACCESS2_STRIDE_D5 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4

#include <assert.h>
#include <hdf5.h>
#include <unistd.h>

#define DEFAULT H5P_DEFAULT

static int data[8];
static hsize_t size = 8, start = 2, part = 3;

static void write_to(hid_t set, hid_t memory, hid_t space) {
    assert(H5Dwrite(set, H5T_NATIVE_INT, memory, space, DEFAULT, data) >= 0);
}

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, DEFAULT, DEFAULT);
    hid_t set = H5Dcreate2(file, "line", H5T_NATIVE_INT, space, DEFAULT, DEFAULT, DEFAULT);
    write_to(set, H5S_ALL, space);
    write_to(set, H5S_ALL, space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &part, NULL);
    write_to(set, H5Screate_simple(1, &part, NULL), space);
    H5Dclose(set);
    H5Fclose(file);
    assert(H5close() >= 0);

    /* The same id, of a space in which all is selected. */
    assert(H5Screate_simple(1, &size, NULL) == space);
    file = H5Fopen("a.h5", H5F_ACC_RDWR, DEFAULT);
    set = H5Dopen2(file, "line", DEFAULT);
    write_to(set, H5S_ALL, space);
    H5Dclose(set);
    H5Fclose(file);
    return 0;
}
