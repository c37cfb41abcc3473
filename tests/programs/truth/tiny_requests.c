// Files of each rank in requests of 512 bytes.
// must: access_granularity
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    own_files(buf, 512, 8192);
    ok(MPI_Finalize());
}
