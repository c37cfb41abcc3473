// Thousands of files with nothing in them.
// must: metadata_intensity
// may: file_strategy
#include "many_files.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    make_folder();
    many_files(0);
    ok(MPI_Finalize());
}
