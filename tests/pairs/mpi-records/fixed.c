// Every rank writes all its records with one call.
#include "records.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File file = open_records();
    long end = scaled(300000);
    char *records = malloc(end * RECORD);
    need(records != NULL, "malloc");
    for (long i = 0; i < end; i++)
        fill(records + i * RECORD, rank, i);
    MPI_Offset at = rank * end * (MPI_Offset)RECORD;
    MPI_File_write_at(file, at, records, (int)end * RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    free(records);
    MPI_Finalize();
    return 0;
}
