// What is known of ids, names and places stands for something else later.
//
// expect: H5F a.h5: OPENS 1
// expect: H5D a.h5:/grid: OPENS 2, WRITES 6, BYTES_WRITTEN 96, REGULAR_HYPERSLAB_SELECTS 6,
//     SIZE_WRITE_AGG_0_100 6, ACCESS1_ACCESS 16, ACCESS1_COUNT 4, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D5 1,
//     ACCESS2_ACCESS 16, ACCESS2_COUNT 2, ACCESS2_LENGTH_D3 2, ACCESS2_LENGTH_D4 1, ACCESS2_LENGTH_D5 2,
//     ACCESS2_STRIDE_D3 1, ACCESS2_STRIDE_D4 1, ACCESS2_STRIDE_D5 1, DATASPACE_NDIMS 3, DATASPACE_NPOINTS 24, DATATYPE_SIZE 4
// expect: H5D a.h5:/chunks: OPENS 5, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4, CHUNK_SIZE_D1 2
// expect: H5D a.h5:/pattern: OPENS 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4,
//     CHUNK_SIZE_D1 2
// expect: H5D a.h5:/whole: OPENS 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4
// expect: H5D a.h5:/larger: OPENS 1, DATASPACE_NDIMS 2, DATASPACE_NPOINTS 30, DATATYPE_SIZE 4
// expect: H5D a.h5:/other: OPENS 1, WRITES 1, BYTES_WRITTEN 24, REGULAR_HYPERSLAB_SELECTS 1,
//     SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 24, ACCESS1_COUNT 1, ACCESS1_LENGTH_D4 3, ACCESS1_LENGTH_D5 2,
//     ACCESS1_STRIDE_D4 1, ACCESS1_STRIDE_D5 1, DATASPACE_NDIMS 2, DATASPACE_NPOINTS 30, DATATYPE_SIZE 4
// expect: H5D a.h5:/copied: OPENS 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4

#include <assert.h>
#include <hdf5.h>
#include <pthread.h>
#include <unistd.h>

#define INT H5T_NATIVE_INT

static hid_t create(hid_t file, const char *name, hid_t space, hid_t creation) {
    hid_t made = H5Dcreate2(file, name, INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert(made >= 0);
    return made;
}

static void remove_link(hid_t file, const char *name) {
    assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
}

/* Two data sets of one name, open at once, that differ in their dimensions. */
static void dimensions(hid_t file) {
    hsize_t line = 8, block[3] = {2, 3, 4}, start[3] = {0};
    /* What is behind the first number does not count. */
    hsize_t count[3] = {4, 7, 7}, part[3] = {2, 1, 2}, four = 4;
    int data[8] = {0};
    hid_t before = create(file, "grid", H5Screate_simple(1, &line, NULL), H5P_DEFAULT);
    remove_link(file, "grid");
    hid_t after = create(file, "grid", H5Screate_simple(3, block, NULL), H5P_DEFAULT);
    hid_t memory = H5Screate_simple(1, &four, NULL);
    for (int i = 0; i < 2; i++) {
        hid_t space = H5Dget_space(before), other = H5Dget_space(after);
        assert(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
        for (int twice = 0; twice < 2; twice++)
            assert(H5Dwrite(before, INT, memory, space, H5P_DEFAULT, data) >= 0);
        assert(H5Sselect_hyperslab(other, H5S_SELECT_SET, start, NULL, part, NULL) >= 0);
        assert(H5Dwrite(after, INT, memory, other, H5P_DEFAULT, data) >= 0);
    }
    H5Dclose(before);
    H5Dclose(after);
}

/* A data set where another one was, with other chunks. */
static void chunks(hid_t file) {
    hsize_t length = 8, four = 4, two = 2;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t fours = H5Pcreate(H5P_DATASET_CREATE), twos = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(fours, 1, &four);
    H5Pset_chunk(twos, 1, &two);
    H5Dclose(create(file, "pattern", space, twos));
    H5Dclose(create(file, "chunks", space, fours));
    for (int i = 0; i < 2; i++)
        H5Dclose(H5Dopen2(file, "chunks", H5P_DEFAULT));
    remove_link(file, "chunks");
    assert(H5Ocopy(file, "pattern", file, "chunks", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    for (int i = 0; i < 2; i++)
        H5Dclose(H5Dopen2(file, "chunks", H5P_DEFAULT));
}

/* A space that is given another size before a data set is made of it. */
static void extent(hid_t file) {
    hsize_t length = 8, larger[2] = {5, 6};
    hid_t space = H5Screate_simple(1, &length, NULL);
    assert(H5Sset_extent_simple(space, 2, larger, NULL) >= 0);
    H5Dclose(create(file, "larger", space, H5P_DEFAULT));
}

static void *enlarge(void *space) {
    hsize_t larger[2] = {5, 6};
    assert(H5Sset_extent_simple(*(hid_t *)space, 2, larger, NULL) >= 0);
    return NULL;
}

/* The same by a thread that has not made it, and by a copy. */
static void extent_by_others(hid_t file) {
    hsize_t length = 8, start[2] = {0}, count[2] = {2, 3}, six = 6;
    int data[6] = {0};
    hid_t space = H5Screate_simple(1, &length, NULL), line = H5Screate_simple(1, &length, NULL);
    pthread_t thread;
    assert(pthread_create(&thread, NULL, enlarge, &space) == 0 && pthread_join(thread, NULL) == 0);
    hid_t other = create(file, "other", space, H5P_DEFAULT);
    assert(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    hid_t memory = H5Screate_simple(1, &six, NULL);
    assert(H5Dwrite(other, INT, memory, space, H5P_DEFAULT, data) >= 0);
    H5Dclose(other);
    assert(H5Sextent_copy(space, line) >= 0);
    H5Dclose(create(file, "copied", space, H5P_DEFAULT));
}

/* A list that had chunks before. */
static void layout(hid_t file) {
    hsize_t length = 8, four = 4;
    hid_t space = H5Screate_simple(1, &length, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(list, 1, &four);
    H5Pset_layout(list, H5D_CONTIGUOUS);
    H5Dclose(create(file, "whole", space, list));
}

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0);
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    dimensions(file);
    chunks(file);
    extent(file);
    extent_by_others(file);
    layout(file);
    H5Fclose(file);
    return 0;
}
