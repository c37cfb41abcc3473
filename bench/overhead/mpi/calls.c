// One rank, one call of MPI-IO or HDF5 over and over, in batches.
#include "../driver.h"

#include <hdf5.h>
#include <mpi.h>
#include <unistd.h>

enum { BATCH = 256, SPAN = 1 << 20, ROWS = 64 };

static char buffer[1024];
static MPI_File file;
static hid_t small_set, grid, small_memory, grid_space, grid_memory;

static void ok(int status, const char *what) { check(status == MPI_SUCCESS, what); }
static void good(herr_t status, const char *what) { check(status >= 0, what); }

static void write_at(long i, int count) {
    ok(MPI_File_write_at(file, i * 64 % SPAN, buffer, count, MPI_BYTE, MPI_STATUS_IGNORE), "write_at");
}

static void write_at_64(long n) {
    for (long i = 0; i < n; i++)
        write_at(i, 64);
}

static void write_at_0(long n) {
    for (long i = 0; i < n; i++)
        write_at(i, 0);
}

static void read_at_64(long n) {
    for (long i = 0; i < n; i++)
        ok(MPI_File_read_at(file, i * 64 % SPAN, buffer, 64, MPI_BYTE, MPI_STATUS_IGNORE), "read_at");
}

static void write_at_all_64(long n) {
    for (long i = 0; i < n; i++)
        ok(MPI_File_write_at_all(file, i * 64 % SPAN, buffer, 64, MPI_BYTE, MPI_STATUS_IGNORE),
           "write_at_all");
}

static void dataset_64(long n) {
    for (long i = 0; i < n; i++)
        good(H5Dwrite(small_set, H5T_NATIVE_CHAR, small_memory, H5S_ALL, H5P_DEFAULT, buffer), "H5Dwrite");
}

// 32 columns of 32 rows.
static void hyperslab_1k(long n) {
    for (long i = 0; i < n; i++) {
        hsize_t start[2] = {i % (ROWS - 32), i % (ROWS - 32)}, count[2] = {32, 32};
        good(H5Sselect_hyperslab(grid_space, H5S_SELECT_SET, start, NULL, count, NULL), "select");
        good(H5Dwrite(grid, H5T_NATIVE_CHAR, grid_memory, grid_space, H5P_DEFAULT, buffer), "H5Dwrite");
    }
}

static const struct call {
    const char *name;
    void (*make)(long n);
} calls[] = {
    {"MPI_File_write_at 64 B", write_at_64}, {"MPI_File_write_at 0 B", write_at_0},
    {"MPI_File_read_at 64 B", read_at_64},   {"MPI_File_write_at_all 64 B", write_at_all_64},
    {"H5Dwrite 64 B", dataset_64},           {"H5Dwrite 1 KiB hyperslab", hyperslab_1k},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void prepare(const char *folder) {
    char path[4096];
    // Drivers stand side by side, and HDF5 locks its files.
    snprintf(path, sizeof path, "%s/mpi-data-%d", folder, getpid());
    ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), path);
    ok(MPI_File_set_size(file, SPAN + 64), path);
    snprintf(path, sizeof path, "%s/data-%d.h5", folder, getpid());
    hid_t h5 = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t small = 64, all[2] = {ROWS, ROWS}, part[2] = {32, 32};
    small_memory = H5Screate_simple(1, &small, NULL);
    grid_space = H5Screate_simple(2, all, NULL);
    grid_memory = H5Screate_simple(2, part, NULL);
    small_set = H5Dcreate2(h5, "small", H5T_NATIVE_CHAR, small_memory, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    grid = H5Dcreate2(h5, "grid", H5T_NATIVE_CHAR, grid_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    check(small_set >= 0 && grid >= 0, path);
}

// The first batch brings back into the caches what other processes have driven out; the second counts.
static double batch(int call) {
    calls[call].make(BATCH);
    int64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    calls[call].make(BATCH);
    return (double)(cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / BATCH;
}

// Arguments as the other driver has them: folders, then the mode.
int main(int argc, char **argv) {
    check(argc > 1, "usage: driver TRACKED");
    ok(MPI_Init(&argc, &argv), "MPI_Init");
    prepare(argv[1]);
    const char *names[CALLS];
    for (int c = 0; c < CALLS; c++)
        names[c] = calls[c].name;
    serve(names, CALLS, batch);
    MPI_Finalize();
}
