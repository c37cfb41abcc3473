// Opens the shared file once.
#include "values.h"

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_File file = open_values();
    for (long i = 0, end = scaled(1500); i < end; i++)
        write_value(file, i);
    MPI_File_close(&file);
    MPI_Finalize();
    return 0;
}
