// What only newer libraries have: several data sets in one call, and objects by their tokens. There is no header
// for the library that h5py brings, so what is used of it is declared here.
//
// expect: H5F a.h5: OPENS 1
// expect: H5D a.h5:/whole: OPENS 2, READS 1, WRITES 1, BYTES_READ 32, BYTES_WRITTEN 32, RW_SWITCHES 1,
//     SIZE_READ_AGG_0_100 1, SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 32, ACCESS1_COUNT 2, DATASPACE_NDIMS 1,
//     DATASPACE_NPOINTS 8, DATATYPE_SIZE 4
// expect: H5D a.h5:/part: OPENS 1, READS 1, WRITES 1, BYTES_READ 12, BYTES_WRITTEN 12, RW_SWITCHES 1,
//     REGULAR_HYPERSLAB_SELECTS 2, SIZE_READ_AGG_0_100 1, SIZE_WRITE_AGG_0_100 1, ACCESS1_ACCESS 12,
//     ACCESS1_COUNT 2, ACCESS1_LENGTH_D5 3, ACCESS1_STRIDE_D5 1, DATASPACE_NDIMS 1, DATASPACE_NPOINTS 8,
//     DATATYPE_SIZE 4

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

typedef int64_t hid_t;
typedef uint64_t hsize_t;
typedef struct {
    unsigned char bytes[16];
} token_t;
typedef struct {
    unsigned long file;
    token_t token;
    int type;
    unsigned references;
    int64_t times[4];
    hsize_t attributes;
} info_t;

extern hid_t H5T_NATIVE_INT_g;
int H5open(void);
hid_t H5Fcreate(const char *, unsigned, hid_t, hid_t);
hid_t H5Screate_simple(int, const hsize_t *, const hsize_t *);
hid_t H5Dcreate2(hid_t, const char *, hid_t, hid_t, hid_t, hid_t, hid_t);
int H5Sselect_hyperslab(hid_t, int, const hsize_t *, const hsize_t *, const hsize_t *, const hsize_t *);
int H5Dwrite_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, const void **);
int H5Dread_multi(size_t, hid_t *, hid_t *, hid_t *, hid_t *, hid_t, void **);
int H5Oget_info3(hid_t, info_t *, unsigned);
hid_t H5Oopen_by_token(hid_t, token_t);
int H5Dclose(hid_t);
int H5Fclose(hid_t);

enum { TRUNCATE = 2, SET = 0, BASIC = 1 };

int main(int argc, char **argv) {
    assert(argc == 2 && chdir(argv[1]) == 0 && H5open() >= 0);
    hsize_t size = 8, start = 2, count = 3;
    int data[2][8] = {{0}};
    hid_t file = H5Fcreate("a.h5", TRUNCATE, 0, 0), integer = H5T_NATIVE_INT_g;
    hid_t space = H5Screate_simple(1, &size, NULL), part = H5Screate_simple(1, &size, NULL);
    assert(H5Sselect_hyperslab(part, SET, &start, NULL, &count, NULL) >= 0);
    hid_t sets[2] = {
        H5Dcreate2(file, "whole", integer, space, 0, 0, 0),
        H5Dcreate2(file, "part", integer, space, 0, 0, 0),
    };
    hid_t types[2] = {integer, integer}, memory[2] = {0, H5Screate_simple(1, &count, NULL)};
    hid_t spaces[2] = {0, part};
    const void *from[2] = {data[0], data[1]};
    void *to[2] = {data[0], data[1]};
    assert(H5Dwrite_multi(2, sets, types, memory, spaces, 0, from) >= 0);
    assert(H5Dread_multi(2, sets, types, memory, spaces, 0, to) >= 0);
    info_t info;
    assert(H5Oget_info3(sets[0], &info, BASIC) >= 0);
    hid_t again = H5Oopen_by_token(file, info.token);
    assert(again >= 0 && H5Dclose(again) >= 0 && H5Dclose(sets[0]) >= 0 && H5Dclose(sets[1]) >= 0);
    return H5Fclose(file);
}
