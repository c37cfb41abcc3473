// Every rank writes to a file of its own, until rank 1 is killed after so many microseconds, and the launcher
// kills the others.
#include "../common.h"
#include <sys/time.h>

int main(int argc, char **argv) {
    begin(argc, argv);
    char name[20];
    sprintf(name, "own.%d", rank);
    MPI_File file = open_by(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY);
    ok(MPI_Barrier(MPI_COMM_WORLD));
    struct itimerval when = {.it_value.tv_usec = atoi(argv[2])};
    // Nobody catches this signal.
    if (rank == 1)
        setitimer(ITIMER_REAL, &when, NULL);
    for (int i = 0; i < 1000000; i++)
        ok(MPI_File_write(file, buf, 100, MPI_BYTE, none));
}
