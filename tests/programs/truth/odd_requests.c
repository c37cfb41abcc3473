// Files of each rank in requests of 3,000 bytes.
// must: access_granularity
#include "common.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    own_files(buf, 3000, 4000);
    ok(MPI_Finalize());
}
