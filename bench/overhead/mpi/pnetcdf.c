// Calls of PnetCDF.
#include "rows.h"

#include <pnetcdf.h>
#include <unistd.h>

enum { ROWS = 64, PART = 32 };

static signed char buffer[PART * PART];
static int file, grid;

static void block_1k(long n, int is_write) {
    const MPI_Offset count[2] = {PART, PART};
    for (long i = 0; i < n; i++) {
        MPI_Offset start[2] = {i % (ROWS - PART), i % (ROWS - PART)};
        ok(is_write ? ncmpi_put_vara_schar_all(file, grid, start, count, buffer)
                    : ncmpi_get_vara_schar_all(file, grid, start, count, buffer),
           "vara");
    }
}

static void put_block(long n) { block_1k(n, 1); }
static void get_block(long n) { block_1k(n, 0); }

static void look_for(long n) {
    for (long i = 0; i < n; i++)
        ok(ncmpi_inq_varid(file, "grid", &grid), "ncmpi_inq_varid");
}

static const struct row rows[] = {
    {"ncmpi_put_vara_all 1 KiB", put_block, FEW},
    {"ncmpi_get_vara_all 1 KiB", get_block, FEW},
    {"ncmpi_inq_varid", look_for, BATCH},
};

static void prepare(const char *folder) {
    char path[4096];
    int side[2];
    snprintf(path, sizeof path, "%s/data-%d.nc", folder, getpid());
    ok(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, MPI_INFO_NULL, &file), path);
    ok(ncmpi_def_dim(file, "x", ROWS, &side[0]), "x");
    ok(ncmpi_def_dim(file, "y", ROWS, &side[1]), "y");
    ok(ncmpi_def_var(file, "grid", NC_BYTE, 2, side, &grid), "grid");
    ok(ncmpi_enddef(file), path);
}

const struct part pnetcdf = PART(prepare, rows);
