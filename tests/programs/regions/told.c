/* Ranks that visit regions until they are killed. After each step a rank tells the named pipe its
 * number, its process and how many steps it has ended. */
#include "../../../crates/region/include/ioglass.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int count, char **words) {
    if (count < 2)
        return 2;
    MPI_Init(&count, &words);
    IOGLASS_ENTER("main");
    int rank, pipe = open(words[1], O_WRONLY);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (pipe < 0)
        abort();
    for (int step = 1;; step++) {
        {
            IOGLASS_ITERATION("step");
            IOGLASS_ENTER("solve");
            for (int i = 0; i < 20; i++) {
                IOGLASS_REGION("inner");
                ioglass_count("cells", 1);
            }
            ioglass_span span = ioglass_start("send");
            IOGLASS_ENTER("other");
            ioglass_stop(span);
            IOGLASS_LEAVE("solve"); /* and other, out of order */
            char name[16];
            snprintf(name, sizeof name, "new %d", step % 500);
            ioglass_enter(name);
            ioglass_leave(name);
        }
        char line[33];
        snprintf(line, sizeof line, "%8d%12d%11d\n", rank, (int)getpid(), step);
        if (write(pipe, line, 32) != 32)
            abort();
    }
}
