// Files of each rank in requests of 4 MiB: nothing is wrong.
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    own_files(calloc(1, 4 << 20), 4 << 20, 16);
    ok(MPI_Finalize());
}
