// Every rank writes its records one by one.
#include "records.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File file = open_records();
    long end = scaled(300000);
    char record[RECORD];
    for (long i = 0; i < end; i++) {
        fill(record, rank, i);
        MPI_Offset at = (rank * end + i) * (MPI_Offset)RECORD;
        MPI_File_write_at(file, at, record, RECORD, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
