// One list of access properties that gets one driver after the other.
//
// expect: H5F by mpi.h5: OPENS 2N, USE_MPIIO 1
// expect: H5F alone.h5: OPENS 2N, USE_MPIIO 0
// expect: H5F in memory.h5: OPENS 2N, USE_MPIIO 0
// expect: H5F by mpi again.h5: OPENS 2N, USE_MPIIO 1
// expect: H5F part %d.h5: OPENS 2N, USE_MPIIO 0
// expect: H5F by mpi at last.h5: OPENS 2N, USE_MPIIO 1

#include <assert.h>
#include <hdf5.h>
#include <mpi.h>
#include <unistd.h>

static void make_and_open(const char *name, hid_t access) {
    assert(H5Fclose(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access)) >= 0);
    assert(H5Fclose(H5Fopen(name, H5F_ACC_RDWR, access)) >= 0);
}

// Drivers other than that of MPI-IO know nothing of other ranks.
static void in_turns(const char *name, hid_t access) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int turn = 0; turn < ranks; turn++) {
        if (turn == rank)
            make_and_open(name, access);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    assert(argc == 2 && chdir(argv[1]) == 0);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    make_and_open("by mpi.h5", access);
    H5Pset_fapl_sec2(access);
    in_turns("alone.h5", access);
    H5Pset_fapl_core(access, 1 << 16, 1);
    in_turns("in memory.h5", access);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    make_and_open("by mpi again.h5", access);
    // A driver that has another do its work.
    hid_t parts = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(parts, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_fapl_family(access, 1 << 20, parts);
    make_and_open("part %d.h5", access);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    make_and_open("by mpi at last.h5", access);
    MPI_Finalize();
    return 0;
}
