// Not linked with MPI: loads it and looks its functions up, as ctypes and other languages do.
// expect: MPIIO data: COLL_OPENS N, COLL_WRITES N, INDEP_READS N, RW_SWITCHES N, MODE 9; w 700 xN, r 70 xN
// expect: POSIX data: BYTES_WRITTEN 700N
// trace: data @R: w 700R 700, r 700R 70
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef OMPI_MPI_H
#define LIBRARY "libmpi.so.40"
#define HANDLE(name, variable) dlsym(library, variable)
#else
#define LIBRARY "libmpich.so.12"
#define HANDLE(name, variable) name
#endif
#define CALL(name) ((__typeof__(&name))look_up(#name))

static void *library;

static void *look_up(const char *name) {
    void *found = dlsym(library, name);
    // What is no function of MPI's, or asked for otherwise, is found as ever.
    if (!found || dlsym(library, "MPI_Nothing") || dlsym(RTLD_DEFAULT, "getpid") != (void *)getpid)
        exit(2);
    return found;
}

int main(int argc, char **argv) {
    char buf[700] = {0};
    int rank;
    MPI_File file;
    if (chdir(argv[1]) || !(library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL)))
        return 1;
    if (CALL(MPI_Init)(&argc, &argv))
        return 3;
    MPI_Comm world = HANDLE(MPI_COMM_WORLD, "ompi_mpi_comm_world");
    MPI_Info no_hints = HANDLE(MPI_INFO_NULL, "ompi_mpi_info_null");
    MPI_Datatype byte = HANDLE(MPI_BYTE, "ompi_mpi_byte");
    CALL(MPI_Comm_rank)(world, &rank);
    if (CALL(MPI_File_open)(world, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, no_hints, &file))
        return 4;
    if (CALL(MPI_File_write_at_all)(file, 700 * rank, buf, 700, byte, MPI_STATUS_IGNORE))
        return 5;
    if (CALL(MPI_File_read_at)(file, 700 * rank, buf, 70, byte, MPI_STATUS_IGNORE))
        return 6;
    return CALL(MPI_File_close)(&file) || CALL(MPI_Finalize)();
}
