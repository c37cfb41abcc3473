// A child reads what its parent has opened, all of it and then a part.

#include <assert.h>
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

static int data[8];
static hsize_t size = 8, start = 2, part = 5;

static void read_from(hid_t set, hid_t memory, hid_t space) {
    assert(H5Dread(set, H5T_NATIVE_INT, memory, space, H5P_DEFAULT, data) >= 0);
}

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0);
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t set = H5Dcreate2(file, "line", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    assert(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
    pid_t child = fork();
    assert(child >= 0);
    if (child == 0) {
        read_from(set, H5S_ALL, H5S_ALL);
        assert(H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &part, NULL) >= 0);
        read_from(set, H5Screate_simple(1, &part, NULL), space);
        _exit(0);
    }
    int status;
    assert(waitpid(child, &status, 0) == child && status == 0);
    H5Dclose(set);
    H5Fclose(file);
    return 0;
}
