// Thousands of files of 8 KiB, each moved in one request.
// must: file_strategy
// may: metadata_intensity access_granularity
#include "many_files.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    make_folder();
    many_files(8192);
    ok(MPI_Finalize());
}
