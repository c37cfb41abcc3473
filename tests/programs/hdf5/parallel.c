// Ranks write parts of data sets, together and each for itself.
//
// expect: H5F a.h5: OPENS N, FLUSHES N, USE_MPIIO 1
// expect: H5D a.h5:/together: OPENS N, WRITES 3N, BYTES_WRITTEN 576N, REGULAR_HYPERSLAB_SELECTS 3N,
//     SIZE_WRITE_AGG_100_1K 3N, ACCESS1_ACCESS 192, ACCESS1_COUNT 3N, ACCESS1_LENGTH_D3 4,
//     ACCESS1_LENGTH_D4 3, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D3 2, ACCESS1_STRIDE_D4 2,
//     ACCESS1_STRIDE_D5 1, DATASPACE_NDIMS 3, DATASPACE_NPOINTS 192N, DATATYPE_SIZE 4,
//     USE_MPIIO_COLLECTIVE 1
// expect: H5D a.h5:/alone: OPENS N, READS 2N, WRITES 2N, BYTES_READ 388N, BYTES_WRITTEN 192N, RW_SWITCHES 3N,
//     REGULAR_HYPERSLAB_SELECTS 2N, IRREGULAR_HYPERSLAB_SELECTS N, SIZE_READ_AGG_100_1K 2N,
//     SIZE_WRITE_AGG_0_100 N, SIZE_WRITE_AGG_100_1K N, ACCESS1_ACCESS 192, ACCESS1_COUNT 2N,
//     ACCESS1_LENGTH_D3 4, ACCESS1_LENGTH_D4 3, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D3 2,
//     ACCESS1_STRIDE_D4 2, ACCESS1_STRIDE_D5 1, ACCESS2_ACCESS 196, ACCESS2_COUNT N, DATASPACE_NDIMS 3,
//     DATASPACE_NPOINTS 192N, DATATYPE_SIZE 4
// expect: H5D a.h5:/later: OPENS N, WRITES 2N, BYTES_WRITTEN 384N, REGULAR_HYPERSLAB_SELECTS 2N,
//     SIZE_WRITE_AGG_100_1K 2N, ACCESS1_ACCESS 192, ACCESS1_COUNT 2N, ACCESS1_LENGTH_D3 4,
//     ACCESS1_LENGTH_D4 3, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D3 2, ACCESS1_STRIDE_D4 2,
//     ACCESS1_STRIDE_D5 1, DATASPACE_NDIMS 3, DATASPACE_NPOINTS 192N, DATATYPE_SIZE 4,
//     USE_MPIIO_COLLECTIVE 1
// expect: H5D a.h5:/no longer: OPENS N, WRITES 2N, BYTES_WRITTEN 384N, REGULAR_HYPERSLAB_SELECTS 2N,
//     SIZE_WRITE_AGG_100_1K 2N, ACCESS1_ACCESS 192, ACCESS1_COUNT 2N, ACCESS1_LENGTH_D3 4,
//     ACCESS1_LENGTH_D4 3, ACCESS1_LENGTH_D5 4, ACCESS1_STRIDE_D3 2, ACCESS1_STRIDE_D4 2,
//     ACCESS1_STRIDE_D5 1, DATASPACE_NDIMS 3, DATASPACE_NPOINTS 192N, DATATYPE_SIZE 4

#include <assert.h>
#include <hdf5.h>
#include <mpi.h>
#include <unistd.h>

#define FLOAT H5T_NATIVE_FLOAT

static hid_t space(hsize_t length) {
    return H5Screate_simple(1, &length, NULL);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    assert(argc == 2 && chdir(argv[1]) == 0);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    hid_t file = H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hsize_t size[3] = {4 * ranks, 6, 8};
    hid_t all = H5Screate_simple(3, size, NULL);
    hid_t together = H5Dcreate2(file, "together", FLOAT, all, 0, 0, 0);
    hid_t alone = H5Dcreate2(file, "alone", FLOAT, all, 0, 0, 0);

    hsize_t start[3] = {4 * rank, 0, 1}, count[3] = {4, 3, 4}, stride[3] = {1, 2, 2};
    float data[64] = {0};
    H5Sselect_hyperslab(all, H5S_SELECT_SET, start, stride, count, NULL);
    hid_t collective = H5Pcreate(H5P_DATASET_XFER), independent = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(collective, H5FD_MPIO_COLLECTIVE);
    H5Pset_dxpl_mpio(independent, H5FD_MPIO_INDEPENDENT);
    for (int i = 0; i < 3; i++)
        assert(H5Dwrite(together, FLOAT, space(48), all, collective, data) >= 0);
    assert(H5Dwrite(alone, FLOAT, space(48), all, independent, data) >= 0);
    assert(H5Dread(alone, FLOAT, space(48), all, H5P_DEFAULT, data) >= 0);

    /* A list that says something else than before, set in two ways. */
    hid_t later = H5Dcreate2(file, "later", FLOAT, all, 0, 0, 0);
    hid_t no_longer = H5Dcreate2(file, "no longer", FLOAT, all, 0, 0, 0);
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    H5FD_mpio_xfer_t mode = H5FD_MPIO_COLLECTIVE;
    assert(H5Dwrite(later, FLOAT, space(48), all, list, data) >= 0);
    assert(H5Pset(list, "io_xfer_mode", &mode) >= 0);
    assert(H5Dwrite(later, FLOAT, space(48), all, list, data) >= 0);
    H5Pset_dxpl_mpio(list, H5FD_MPIO_INDEPENDENT);
    for (int i = 0; i < 2; i++)
        assert(H5Dwrite(no_longer, FLOAT, space(48), all, list, data) >= 0);
    H5Dclose(later);
    H5Dclose(no_longer);

    hid_t memory = space(1), none = H5Scopy(all);
    H5Sselect_none(memory);
    H5Sselect_none(none);
    assert(H5Dwrite(alone, FLOAT, memory, none, independent, data) >= 0);
    hsize_t more[3] = {4 * rank, 1, 0}, one[3] = {1, 1, 1};
    H5Sselect_hyperslab(all, H5S_SELECT_OR, more, NULL, one, NULL);
    assert(H5Dread(alone, FLOAT, space(49), all, independent, data) >= 0);

    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Dclose(together);
    H5Dclose(alone);
    H5Fclose(file);
    MPI_Finalize();
    return 0;
}
