/* Each rank writes known bytes through MPI-IO to one file in main > head, by rank 0 alone, and in
   main > dump. */
#include "../../../crates/region/include/ioglass.h"

#include <mpi.h>

int main(int count, char **words) {
    IOGLASS_ENTER("main");
    MPI_Init(&count, &words);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    char bytes[64] = {0};
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "shared.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    if (rank == 0) {
        IOGLASS_REGION("head");
        ioglass_tag("ranks", "all"); /* which is wrong */
        for (int i = 0; i < 100; i++)
            MPI_File_write_at(file, 64 * i, bytes, 64, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    {
        IOGLASS_ITERATION("dump");
        for (int i = 0; i < 2000; i++)
            MPI_File_write_at(file, 6400 + 64 * (i * ranks + rank), bytes, 64, MPI_BYTE,
                              MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
    MPI_Finalize();
    IOGLASS_LEAVE("main");
}
