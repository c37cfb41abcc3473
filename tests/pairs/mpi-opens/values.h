// Values that all ranks write into one file.
#pragma once
#include <mpi.h>
#include "common.h"

static inline MPI_File open_values(void) {
    MPI_File file;
    int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    int failed = MPI_File_open(MPI_COMM_WORLD, "values.dat", mode, MPI_INFO_NULL, &file);
    need(!failed, "values.dat");
    return file;
}

static inline void write_value(MPI_File file, long step) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double value = (double)(step * ranks + rank);
    MPI_Offset at = (step * ranks + rank) * (MPI_Offset)sizeof value;
    MPI_File_write_at(file, at, &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE);
}
