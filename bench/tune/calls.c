// Calls that settings are looked up for.
//   calls hdf5 FILE            10,000 calls of HDF5: 99 datasets, each written and read in parts
//   calls streams COUNT FILE   ns of fopen + fclose, and of open + close
//   calls files COUNT FOLDER   ns of open + close over so many files
//   calls nothing
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_HDF5
#include <hdf5.h>
#endif

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

#ifdef WITH_HDF5
static int calls_of_hdf5(const char *path) {
    enum { DATASETS = 99, PARTS = 32, LENGTH = 2048 };
    static double part[LENGTH];
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t extent = PARTS * LENGTH, length = LENGTH;
    hid_t space = H5Screate_simple(1, &extent, NULL), memory = H5Screate_simple(1, &length, NULL);
    for (int i = 0; i < DATASETS; i++) {
        char name[20];
        snprintf(name, sizeof name, "d%d", i);
        hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        for (hsize_t at = 0; at < PARTS; at++) {
            hsize_t begin = at * LENGTH;
            H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &length, NULL);
            H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part);
            H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part);
        }
        H5Dclose(set);
    }
    H5Sclose(space);
    H5Sclose(memory);
    return H5Fclose(file) < 0;
}
#endif

int main(int argc, char **argv) {
#ifdef WITH_HDF5
    if (argc == 3 && !strcmp(argv[1], "hdf5"))
        return calls_of_hdf5(argv[2]);
#endif
    if (argc == 4 && !strcmp(argv[1], "streams")) {
        int count = atoi(argv[2]);
        double least[2] = {1e18, 1e18};
        for (int round = 0; round < 60; round++) {
            double begin = now();
            for (int i = 0; i < count; i++)
                fclose(fopen(argv[3], "r"));
            double middle = now();
            for (int i = 0; i < count; i++)
                close(open(argv[3], O_RDONLY));
            double end = now();
            if (middle - begin < least[0])
                least[0] = middle - begin;
            if (end - middle < least[1])
                least[1] = end - middle;
        }
        printf("%f %f\n", least[0] / count, least[1] / count);
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "files")) {
        int count = atoi(argv[2]);
        double least = 1e18;
        for (int round = 0; round < 20; round++) {
            double begin = now();
            for (int i = 0; i < count; i++) {
                char path[4096];
                snprintf(path, sizeof path, "%s/file-%d.dat", argv[3], i);
                close(open(path, O_RDONLY | O_CREAT, 0644));
            }
            double took = now() - begin;
            least = took < least ? took : least;
        }
        printf("%f\n", least / count);
        return 0;
    }
    return !(argc == 2 && !strcmp(argv[1], "nothing"));
}
