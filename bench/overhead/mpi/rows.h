// What the parts of the driver for MPI share: each is a library with calls that are measured.
#ifndef ROWS_H
#define ROWS_H

#include "../driver.h"

#include <mpi.h>

struct row {
    const char *name;
    void (*make)(long n);
    // Calls in a batch.
    int batch;
};

// Batches of calls, and of those that take as long as a hundred others.
enum { BATCH = 256, FEW = 16 };

struct part {
    // Makes what the calls work on, in a directory.
    void (*prepare)(const char *folder);
    const struct row *rows;
    int count;
};

extern const struct part mpiio, hdf5, pnetcdf;

static inline void ok(int status, const char *what) { check(status == MPI_SUCCESS, what); }

#define PART(prepare, rows) {prepare, rows, sizeof rows / sizeof *rows}

#endif
