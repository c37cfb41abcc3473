// A selection that the library was asked for and that then changes, and ids that begin anew.
//
// expect: H5F a.h5: OPENS 2
// expect: H5D a.h5:/block: OPENS 1, WRITES 1, BYTES_WRITTEN 12, REGULAR_HYPERSLAB_SELECTS 1,
//     SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 12, ACCESS1_COUNT 1, ACCESS1_LENGTH_D3 1, ACCESS1_LENGTH_D4 1,
//     ACCESS1_LENGTH_D5 3, ACCESS1_STRIDE_D3 1, ACCESS1_STRIDE_D4 1, ACCESS1_STRIDE_D5 1, DATASPACE_NDIMS 3,
//     DATASPACE_NPOINTS 512, DATATYPE_SIZE 4
// expect: H5D a.h5:/line: OPENS 2, WRITES 5, BYTES_WRITTEN 120, REGULAR_HYPERSLAB_SELECTS 2,
//     SIZE_WRITE_AGG_0_100 5, ACCESS1_ACCESS 32, ACCESS1_COUNT 3, ACCESS2_ACCESS 12, ACCESS2_COUNT 2,
//     ACCESS2_LENGTH_D5 3, ACCESS2_STRIDE_D5 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8, DATATYPE_SIZE 4

#include <assert.h>
#include <hdf5.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEFAULT H5P_DEFAULT

static int data[8];
static hsize_t size = 8, start = 2, part = 3;

static void write_to(hid_t set, hid_t memory, hid_t space) {
    assert(H5Dwrite(set, H5T_NATIVE_INT, memory, space, DEFAULT, data) >= 0);
}

static hid_t create(hid_t file, const char *name, hid_t space) {
    hid_t made = H5Dcreate2(file, name, H5T_NATIVE_INT, space, DEFAULT, DEFAULT, DEFAULT);
    assert(made >= 0);
    return made;
}

static void write_part(hid_t set, const hsize_t *starts, const hsize_t *count) {
    hid_t space = H5Dget_space(set);
    assert(H5Sselect_hyperslab(space, H5S_SELECT_SET, starts, NULL, count, NULL) >= 0);
    write_to(set, H5Screate_simple(1, &part, NULL), space);
    H5Sclose(space);
}

/* A data set with more dimensions than the one that will have its id. */
static hid_t write_block(hid_t file) {
    hsize_t sizes[3] = {8, 8, 8}, starts[3] = {0}, count[3] = {3, 1, 1};
    hid_t block = create(file, "block", H5Screate_simple(3, sizes, NULL));
    write_part(block, starts, count);
    return block;
}

/* A number behind which nothing may be read. */
static hsize_t *last_number(hsize_t number) {
    long page = sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    hsize_t *last = (hsize_t *)(pages + page) - 1;
    *last = number;
    return last;
}

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0);
    hid_t space = H5Screate_simple(1, &size, NULL);
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, DEFAULT, DEFAULT);
    hid_t block = write_block(file);
    hid_t set = create(file, "line", space);
    write_to(set, H5S_ALL, space);
    write_to(set, H5S_ALL, space);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &part, NULL);
    write_to(set, H5Screate_simple(1, &part, NULL), space);
    H5Dclose(set);
    /* Closes all that is open. */
    assert(H5close() >= 0);

    /* The same id, of a space in which all is selected. */
    assert(H5Screate_simple(1, &size, NULL) == space);
    file = H5Fopen("a.h5", H5F_ACC_RDWR, DEFAULT);
    set = H5Dopen2(file, "line", DEFAULT);
    assert(set == block);
    write_to(set, H5S_ALL, space);
    write_part(set, &start, last_number(part));
    H5Dclose(set);
    H5Fclose(file);
    return 0;
}
