// Every way to open, select, read and write a data set.
//
// expect: H5F a.h5: OPENS 2, FLUSHES 3
// expect: H5D a.h5:/chunked: OPENS 1, READS 3, WRITES 1, FLUSHES 1, BYTES_READ 288, BYTES_WRITTEN 1600,
//     RW_SWITCHES 1, REGULAR_HYPERSLAB_SELECTS 3, SIZE_READ_AGG_0_100 3, SIZE_WRITE_AGG_1K_10K 1,
//     ACCESS1_ACCESS 96, ACCESS1_COUNT 3, ACCESS1_LENGTH_D4 4, ACCESS1_LENGTH_D5 3, ACCESS1_STRIDE_D4 4,
//     ACCESS1_STRIDE_D5 2, ACCESS2_ACCESS 1600, ACCESS2_COUNT 1, DATASPACE_NDIMS 2, DATASPACE_NPOINTS 200,
//     DATATYPE_SIZE 8, CHUNK_SIZE_D1 4, CHUNK_SIZE_D2 5
// expect: H5D a.h5:/group/points: OPENS 5, READS 5, WRITES 1, BYTES_READ 240, BYTES_WRITTEN 12, RW_SWITCHES 1,
//     POINT_SELECTS 1, SIZE_READ_AGG_0_100 5, SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 48, ACCESS1_COUNT 5,
//     ACCESS2_ACCESS 12, ACCESS2_COUNT 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 12, DATATYPE_SIZE 4,
//     USE_DEPRECATED 1
// expect: H5D a.h5:/grows: OPENS 1, READS 1, WRITES 3, BYTES_READ 24, BYTES_WRITTEN 48, RW_SWITCHES 1,
//     SIZE_READ_AGG_0_100 1, SIZE_WRITE_AGG_0_100 3, ACCESS1_ACCESS 24, ACCESS1_COUNT 2, ACCESS2_ACCESS 16,
//     ACCESS2_COUNT 1, ACCESS3_ACCESS 8, ACCESS3_COUNT 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 3,
//     DATATYPE_SIZE 8, CHUNK_SIZE_D1 2
// expect: H5D a.h5:/pieces: OPENS 1, WRITES 4, BYTES_WRITTEN 128, IRREGULAR_HYPERSLAB_SELECTS 1,
//     REGULAR_HYPERSLAB_SELECTS 1, SIZE_WRITE_AGG_0_100 4, ACCESS1_ACCESS 96, ACCESS1_COUNT 1,
//     ACCESS2_ACCESS 16, ACCESS2_COUNT 1, ACCESS2_LENGTH_D1 1, ACCESS2_LENGTH_D2 1, ACCESS2_LENGTH_D3 2,
//     ACCESS2_LENGTH_D4 1, ACCESS2_LENGTH_D5 1, ACCESS2_STRIDE_D1 1, ACCESS2_STRIDE_D2 1,
//     ACCESS2_STRIDE_D3 1, ACCESS2_STRIDE_D4 1, ACCESS2_STRIDE_D5 1, ACCESS3_ACCESS 16, ACCESS3_COUNT 1,
//     DATASPACE_NDIMS 6, DATASPACE_NPOINTS 12, DATATYPE_SIZE 8
// expect: H5D a.h5:/left open: OPENS 1, WRITES 1, BYTES_WRITTEN 2, SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 2,
//     ACCESS1_COUNT 1, DATASPACE_NPOINTS 1, DATATYPE_SIZE 2

#include <assert.h>
#include <hdf5.h>
#include <unistd.h>

#define DEFAULT H5P_DEFAULT
#define ALL H5S_ALL

static hid_t space(hsize_t length) {
    return H5Screate_simple(1, &length, NULL);
}

/* Strided blocks of a data set in chunks. */
static void chunked(hid_t file) {
    hsize_t size[2] = {10, 20}, chunk[2] = {5, 4};
    hsize_t start[2] = {0, 1}, stride[2] = {2, 4}, count[2] = {3, 2}, block[2] = {1, 2};
    double data[200] = {1};
    hid_t all = H5Screate_simple(2, size, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 2, chunk);
    hid_t set = H5Dcreate2(file, "chunked", H5T_NATIVE_DOUBLE, all, DEFAULT, properties, DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, ALL, ALL, DEFAULT, data);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, start, stride, count, block);
    for (int i = 0; i < 2; i++)
        H5Dread(set, H5T_NATIVE_DOUBLE, space(12), all, DEFAULT, data);
    /* A copy has the selection, which nobody has seen being made. */
    H5Dread(set, H5T_NATIVE_DOUBLE, space(12), H5Scopy(all), DEFAULT, data);
    H5Dflush(set);
    H5Fflush(set, H5F_SCOPE_LOCAL);
    H5Dclose(set);
}

/* One data set, opened in five ways. */
static void points(hid_t file) {
    hsize_t chosen[3] = {1, 5, 7};
    int data[12] = {0};
    hid_t group = H5Gcreate2(file, "group", DEFAULT, DEFAULT, DEFAULT), all = space(12);
    hid_t set = H5Dcreate1(group, "points", H5T_NATIVE_INT, all, DEFAULT);
    H5Sselect_elements(all, H5S_SELECT_SET, 3, chosen);
    H5Dwrite(set, H5T_NATIVE_INT, space(3), all, DEFAULT, data);
    H5Sselect_all(all);
    H5Dread(set, H5T_NATIVE_INT, ALL, all, DEFAULT, data);
    H5O_info_t about;
    H5Oget_info(set, &about);
    H5Dclose(set);
    set = H5Oopen(file, "/group/points", DEFAULT);
    H5Dread(set, H5T_NATIVE_INT, ALL, ALL, DEFAULT, data);
    H5Oclose(set);
    set = H5Dopen1(group, "points");
    H5Dread(set, H5T_NATIVE_INT, ALL, ALL, DEFAULT, data);
    H5Idec_ref(set);
    set = H5Oopen_by_addr(file, about.addr);
    H5Dread(set, H5T_NATIVE_INT, ALL, ALL, DEFAULT, data);
    H5Dclose(set);
    set = H5Oopen_by_idx(file, "group", H5_INDEX_NAME, H5_ITER_INC, 0, DEFAULT);
    /* A reference more and less is no close. */
    H5Iinc_ref(set);
    assert(H5Idec_ref(set) == 1);
    H5Dread(set, H5T_NATIVE_INT, ALL, ALL, DEFAULT, data);
    H5Dclose(set);
    H5Gclose(group);
}

/* All of a data set is more each time. */
static void grows(hid_t file) {
    hsize_t size = 1, most = H5S_UNLIMITED, chunk = 2;
    long long data[3] = {0};
    hid_t all = H5Screate_simple(1, &size, &most), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 1, &chunk);
    hid_t set = H5Dcreate2(file, "grows", H5T_NATIVE_LLONG, all, DEFAULT, properties, DEFAULT);
    for (; size <= 3; size++) {
        H5Dset_extent(set, &size);
        H5Dwrite(set, H5T_NATIVE_LLONG, ALL, ALL, DEFAULT, data);
    }
    H5Dread(set, H5T_NATIVE_LLONG, ALL, ALL, DEFAULT, data);
    H5Dclose(set);
}

/* More dimensions than a record has, pieces of no regular shape, and nothing. */
static void pieces(hid_t file) {
    hsize_t size[6] = {1, 1, 2, 1, 1, 6}, none[6] = {0}, count[6] = {1, 1, 2, 1, 1, 1};
    hsize_t corner[6] = {0, 0, 1, 0, 0, 5}, one[6] = {1, 1, 1, 1, 1, 1};
    double data[12] = {0};
    hid_t all = H5Screate_simple(6, size, NULL);
    hid_t set = H5Dcreate2(file, "pieces", H5T_NATIVE_DOUBLE, all, DEFAULT, DEFAULT, DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, ALL, ALL, DEFAULT, data);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, none, NULL, count, NULL);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, space(2), all, DEFAULT, data);
    H5Sselect_hyperslab(all, H5S_SELECT_SET, none, NULL, one, NULL);
    H5Sselect_hyperslab(all, H5S_SELECT_OR, corner, NULL, one, NULL);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, space(2), all, DEFAULT, data);
    H5Sselect_none(all);
    hid_t memory = space(2);
    H5Sselect_none(memory);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, all, DEFAULT, data);
    H5Dclose(set);
}

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0);
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, DEFAULT, DEFAULT);
    chunked(file);
    points(file);
    grows(file);
    pieces(file);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Fclose(file);
    /* HDF5 closes the rest when the program ends. */
    file = H5Fopen("a.h5", H5F_ACC_RDWR, DEFAULT);
    short data = 1;
    hid_t set = H5Dcreate2(file, "left open", H5T_NATIVE_SHORT, H5Screate(H5S_SCALAR), DEFAULT, DEFAULT, DEFAULT);
    H5Dwrite(set, H5T_NATIVE_SHORT, ALL, ALL, DEFAULT, &data);
    H5Fflush(H5Gopen2(file, "group", DEFAULT), H5F_SCOPE_LOCAL);
    return 0;
}
