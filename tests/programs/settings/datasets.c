/* Makes a file with datasets of several kinds, with MPI if HDF5 has it, and prints what its own lists
   and the datasets say afterwards: injected settings must leave the one alone and respect the other. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 100
#define COLUMNS 1000

static int rank = 0, ranks = 1;
static hid_t file, memory, transfer;
static double *values;

static void check(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(3);
    }
}

/* What a creation list says. */
static void tell(const char *name, hid_t list) {
    hsize_t chunk[2] = {0, 0};
    H5D_fill_time_t time;
    H5D_fill_value_t filled;
    double fill = 0;
    int layout = H5Pget_layout(list);
    if (layout == H5D_CHUNKED) H5Pget_chunk(list, 2, chunk);
    H5Pget_fill_time(list, &time);
    H5Pfill_value_defined(list, &filled);
    if (filled == H5D_FILL_VALUE_USER_DEFINED) H5Pget_fill_value(list, H5T_NATIVE_DOUBLE, &fill);
    if (rank == 0)
        printf("%s layout=%d chunk=%llu,%llu filters=%d fill=%g time=%d external=%d\n", name, layout,
               (unsigned long long)chunk[0], (unsigned long long)chunk[1], H5Pget_nfilters(list), fill,
               (int)time, H5Pget_external_count(list));
}

/* Makes a dataset of all ranks' rows, writes it and tells its list. */
static void dataset(const char *name, hid_t list) {
    hsize_t size[2] = {(hsize_t)ROWS * ranks, COLUMNS}, count[2] = {ROWS, COLUMNS};
    hsize_t start[2] = {(hsize_t)ROWS * rank, 0};
    hid_t space = H5Screate_simple(2, size, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    check(set >= 0, name);
    check(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, values) >= 0, "H5Dwrite");
    memset(values, 0, ROWS * COLUMNS * sizeof *values);
    check(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, transfer, values) >= 0, "H5Dread");
    for (int i = 0; i < ROWS * COLUMNS; i++) check(values[i] == rank * 1e6 + i, "other data");
    hid_t its = H5Dget_create_plist(set);
    tell(name, its);
    H5Pclose(its);
    H5Sclose(space);
    H5Dclose(set);
}

/* A dataset that cannot have chunks. */
static void small(const char *name, hid_t space, hid_t list) {
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    check(set >= 0, name);
    hid_t its = H5Dget_create_plist(set);
    tell(name, its);
    H5Pclose(its);
    H5Dclose(set);
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "datasets.h5";
    hid_t access = H5P_DEFAULT;
    transfer = H5Pcreate(H5P_DATASET_XFER);
#ifdef H5_HAVE_PARALLEL
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "8388608");
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, info);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
#endif
    values = malloc(ROWS * COLUMNS * sizeof *values);
    for (int i = 0; i < ROWS * COLUMNS; i++) values[i] = rank * 1e6 + i;
    hsize_t count[2] = {ROWS, COLUMNS};
    memory = H5Screate_simple(2, count, NULL);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    check(file >= 0, "H5Fcreate");

    dataset("plain", H5P_DEFAULT);
    hid_t filled = H5Pcreate(H5P_DATASET_CREATE);
    double seven = 7;
    H5Pset_fill_value(filled, H5T_NATIVE_DOUBLE, &seven);
    dataset("filled", filled);
    tell("own", filled);
    hid_t chunked = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[2] = {10, 100};
    H5Pset_chunk(chunked, 2, chunk);
    H5Pset_fill_value(chunked, H5T_NATIVE_DOUBLE, &seven);
#ifndef H5_HAVE_PARALLEL
    H5Pset_deflate(chunked, 1);
    hid_t external = H5Pcreate(H5P_DATASET_CREATE);
    char name[4096];
    snprintf(name, sizeof name, "%s.raw", path);
    H5Pset_external(external, name, 0, H5F_UNLIMITED);
    dataset("external", external);
#endif
    dataset("chunked", chunked);
    hid_t compact = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(compact, H5D_COMPACT);
    hsize_t two[2] = {2, 2}, none[2] = {0, 2};
    hid_t four = H5Screate_simple(2, two, NULL), empty = H5Screate_simple(2, none, NULL);
    hid_t scalar = H5Screate(H5S_SCALAR);
    small("compact", four, compact);
    small("empty", empty, H5P_DEFAULT);
    small("scalar", scalar, H5P_DEFAULT);

    hsize_t threshold = 0, boundary = 0;
    if (access != H5P_DEFAULT) H5Pget_alignment(access, &threshold, &boundary);
    if (rank == 0)
        printf("own access list: alignment=%llu,%llu\n", (unsigned long long)threshold,
               (unsigned long long)boundary);
    check(H5Fclose(file) >= 0, "H5Fclose");
    if (access != H5P_DEFAULT) H5Pclose(access);
#ifdef H5_HAVE_PARALLEL
    char buffer[64];
    int found = 0;
    MPI_Info_get(info, "cb_buffer_size", 63, buffer, &found);
    check(found && !strcmp(buffer, "8388608"), "the program's info has changed");
    int keys = 0;
    MPI_Info_get_nkeys(info, &keys);
    check(keys == 1, "the program's info has more hints");
    MPI_Finalize();
#endif
    return 0;
}
