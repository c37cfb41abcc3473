/* Ranks in different regions; `kill` kills rank 1 in one. */
#include "../../../crates/region/include/ioglass.h"

#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
    IOGLASS_ENTER("main");
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 + rank; i++) {
        IOGLASS_ITERATION("step");
        usleep(1000);
    }
    if (rank == 1) {
        IOGLASS_REGION("alone");
    }
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "ranks.data", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                  &file);
    IOGLASS_ENTER("dump");
    MPI_File_write_at_all(file, 10 * rank, "0123456789", 10, MPI_BYTE, MPI_STATUS_IGNORE);
    IOGLASS_LEAVE("dump");
    MPI_File_close(&file);
    if (count > 1 && !strcmp(words[1], "kill")) {
        IOGLASS_ENTER("end");
        if (rank == 1) {
            usleep(20000);
            raise(SIGKILL);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    IOGLASS_LEAVE("main");
    IOGLASS_ENTER("after");
    IOGLASS_LEAVE("after");
}
