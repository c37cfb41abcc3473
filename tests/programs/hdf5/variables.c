// All kinds of calls on variables of PnetCDF, one of which consists of records.
//
// expect: PNETCDF_FILE a.nc: CREATES N, OPENS N, REDEFS N, COLL_WAITS N, INDEP_WAITS N, SYNCS N,
//     BYTES_READ ?, BYTES_WRITTEN ?
// expect: PNETCDF_VAR a.nc:fixed: OPENS 2N, INDEP_READS 2N, INDEP_WRITES N, COLL_WRITES 2N, NB_READS N,
//     BYTES_READ 188N, BYTES_WRITTEN 184N, RW_SWITCHES 2N, PUT_VAR1 N, PUT_VARA N, PUT_VARN N, GET_VARA N,
//     GET_VARS N, IGET_VAR1 N, SIZE_READ_AGG_0_100 2N, SIZE_READ_AGG_100_1K N, SIZE_WRITE_AGG_0_100 2N,
//     SIZE_WRITE_AGG_100_1K N, ACCESS1_ACCESS 160, ACCESS1_COUNT 2N, ACCESS1_LENGTH_D1 4,
//     ACCESS1_LENGTH_D2 10, ACCESS2_ACCESS 4, ACCESS2_COUNT 2N, ACCESS3_ACCESS 24, ACCESS3_COUNT N,
//     ACCESS3_LENGTH_D1 2, ACCESS3_LENGTH_D2 3, ACCESS3_STRIDE_D1 2, ACCESS3_STRIDE_D2 3, ACCESS4_ACCESS 20,
//     ACCESS4_COUNT N, NDIMS 2, NPOINTS 40N, DATATYPE_SIZE 4
// expect: PNETCDF_VAR a.nc:records: OPENS N, INDEP_READS N, COLL_READS N, COLL_WRITES 3N, NB_WRITES 2N,
//     BYTES_READ 560N, BYTES_WRITTEN 800N, RW_SWITCHES 3N, PUT_VARA 3N, GET_VAR N, GET_VARA N, IPUT_VARA N,
//     BPUT_VARM N, SIZE_READ_AGG_0_100 N, SIZE_READ_AGG_100_1K N, SIZE_WRITE_AGG_100_1K 5N,
//     ACCESS1_ACCESS 160, ACCESS1_COUNT 4N, ACCESS1_LENGTH_D1 2, ACCESS1_LENGTH_D2 10, ACCESS2_ACCESS 480,
//     ACCESS2_COUNT N, ACCESS3_ACCESS 160, ACCESS3_COUNT N, ACCESS3_LENGTH_D1 2, ACCESS3_LENGTH_D2 10,
//     ACCESS3_STRIDE_D1 1, ACCESS3_STRIDE_D2 1, ACCESS4_ACCESS 80, ACCESS4_COUNT N, ACCESS4_LENGTH_D1 1,
//     ACCESS4_LENGTH_D2 10, NDIMS 2, NPOINTS 10, DATATYPE_SIZE 8, IS_RECORD_VAR 1
// expect: PNETCDF_VAR a.nc:small: OPENS 2N, COLL_READS 2N, COLL_WRITES N, BYTES_READ 20N, BYTES_WRITTEN 20N,
//     RW_SWITCHES N, GET_VARD 2N, PUT_VAR N, SIZE_READ_AGG_0_100 2N, SIZE_WRITE_AGG_0_100 N,
//     ACCESS1_ACCESS 20, ACCESS1_COUNT 2N, NDIMS 1, NPOINTS 10, DATATYPE_SIZE 2
// expect: PNETCDF_VAR a.nc:tiny: OPENS 2N, NDIMS 1, NPOINTS 10, DATATYPE_SIZE 2

#include <assert.h>
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <unistd.h>

#define DO(call)                                                                                   \
    do {                                                                                           \
        int problem = ncmpi_##call;                                                                \
        if (problem != NC_NOERR) {                                                                 \
            fprintf(stderr, "%s: %s\n", #call, ncmpi_strerror(problem));                           \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    assert(argc == 2 && chdir(argv[1]) == 0);
    int rank, ranks, file, t, x, y, fixed, records, small, requests[2], results[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int ints[64] = {0};
    double doubles[64] = {0};
    short shorts[16] = {0};

    DO(create(MPI_COMM_WORLD, "a.nc", NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
    DO(def_dim(file, "t", NC_UNLIMITED, &t));
    DO(def_dim(file, "x", 4 * ranks, &x));
    DO(def_dim(file, "y", 10, &y));
    DO(def_var(file, "fixed", NC_INT, 2, (int[]){x, y}, &fixed));
    DO(def_var(file, "records", NC_DOUBLE, 2, (int[]){t, y}, &records));
    DO(def_var(file, "small", NC_SHORT, 1, &y, &small));
    DO(enddef(file));

    MPI_Offset own[2] = {4 * rank, 0}, block[2] = {4, 10}, point[2] = {4 * rank, 1};
    DO(put_vara_int_all(file, fixed, own, block, ints));
    for (MPI_Offset i = 0; i < 3; i++) {
        /* 2 records of 10 doubles. */
        DO(put_vara_double_all(file, records, (MPI_Offset[]){2 * i, 0}, (MPI_Offset[]){2, 10}, doubles));
    }
    DO(put_var_short_all(file, small, shorts));

    DO(begin_indep_data(file));
    DO(put_var1_int(file, fixed, point, ints));
    DO(get_vars_int(file, fixed, own, (MPI_Offset[]){2, 3}, (MPI_Offset[]){2, 3}, ints));
    DO(get_vara(file, fixed, own, block, ints, 40, MPI_INT));
    /* 6 records. */
    DO(get_var_double(file, records, doubles));
    DO(iget_var1_int(file, fixed, point, ints, requests));
    DO(wait(file, 1, requests, results));
    DO(end_indep_data(file));

    MPI_Offset first[2] = {0, 0}, record[2] = {1, 10}, two[2] = {2, 10};
    DO(buffer_attach(file, 4096));
    DO(iput_vara_double(file, records, first, two, doubles, &requests[0]));
    DO(bput_varm_double(file, records, first, two, NULL, NULL, doubles, &requests[1]));
    DO(wait_all(file, 2, requests, results));
    DO(buffer_detach(file));
    MPI_Offset starts[2][2] = {{4 * rank, 0}, {4 * rank + 1, 2}}, counts[2][2] = {{1, 2}, {1, 3}};
    MPI_Offset *begins[2] = {starts[0], starts[1]}, *sizes[2] = {counts[0], counts[1]};
    DO(put_varn_int_all(file, fixed, 2, begins, sizes, ints));
    DO(get_vara_double_all(file, records, first, record, doubles));
    MPI_Datatype ten;
    MPI_Type_contiguous(10, MPI_SHORT, &ten);
    MPI_Type_commit(&ten);
    DO(get_vard_all(file, small, ten, shorts, 10, MPI_SHORT));
    DO(get_vard_all(file, small, MPI_DATATYPE_NULL, NULL, 0, MPI_SHORT));
    DO(sync(file));
    DO(inq_varid(file, "small", &small));
    DO(redef(file));
    DO(rename_var(file, small, "tiny"));
    for (int twice = 0; twice < 2; twice++)
        DO(inq_varid(file, "tiny", &small));
    DO(enddef(file));
    DO(close(file));

    /* The same numbers, of another file as far as PnetCDF knows. */
    DO(open(MPI_COMM_WORLD, "a.nc", NC_NOWRITE, MPI_INFO_NULL, &file));
    DO(inq_varid(file, "fixed", &fixed));
    DO(close(file));
    MPI_Finalize();
    return 0;
}
