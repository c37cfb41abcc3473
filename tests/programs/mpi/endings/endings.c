// Ends in the way that is asked for, after every rank has written.
#include "../common.h"
#include <signal.h>

int main(int argc, char **argv) {
    begin(argc, argv);
    const char *how = argv[2];
    MPI_File file = create("data");
    for (int i = 0; i < 10; i++)
        ok(MPI_File_write_at(file, 100 * (10 * rank + i), buf, 100, MPI_BYTE, none));
    ok(MPI_Barrier(MPI_COMM_WORLD));
    if (!strcmp(how, "killed") && rank == 1)
        raise(SIGKILL);
    if (!strcmp(how, "aborted") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (!strcmp(how, "left"))
        _exit(0);
    if (strcmp(how, "finished") && strcmp(how, "failed"))
        sleep(20);
    ok(MPI_File_close(&file));
    ok(MPI_Finalize());
    return strcmp(how, "failed") ? 0 : 7;
}
