// Opens and closes the shared file for every value.
#include "values.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (long i = 0, end = scaled(1500); i < end; i++) {
        MPI_File file = open_values();
        write_value(file, i);
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0;
}
