/* Writes a dataset of HDF5 in main > init and reads it in main > check, known bytes each time. */
#include "../../../crates/region/include/ioglass.h"

#include <hdf5.h>

int main(void) {
    IOGLASS_ENTER("main");
    static double numbers[1000];
    hsize_t size = 1000;
    hid_t file = H5Fcreate("data.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT,
                           H5P_DEFAULT);
    IOGLASS_ENTER("init");
    for (int i = 0; i < 3; i++)
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    IOGLASS_LEAVE("init");
    IOGLASS_ENTER("check");
    for (int i = 0; i < 5; i++)
        H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers);
    IOGLASS_LEAVE("check");
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    IOGLASS_LEAVE("main");
}
