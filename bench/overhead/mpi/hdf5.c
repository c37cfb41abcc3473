// Calls of HDF5, on its POSIX driver and through MPI-IO.
#include "rows.h"

#include <hdf5.h>
#include <unistd.h>

enum { ROWS = 64, PART = 32 };

static char buffer[PART * PART], path[4096];
static const hsize_t all[2] = {ROWS, ROWS}, part[2] = {PART, PART};
static hid_t file, small_set, grid, small_space, grid_space, grid_memory, chunks;
static hid_t through_mpiio, shared_grid, together, alone;

static void good(herr_t status, const char *what) { check(status >= 0, what); }

static void dataset_64(long n) {
    for (long i = 0; i < n; i++)
        good(H5Dwrite(small_set, H5T_NATIVE_CHAR, small_space, H5S_ALL, H5P_DEFAULT, buffer), "H5Dwrite");
}

static void read_64(long n) {
    for (long i = 0; i < n; i++)
        good(H5Dread(small_set, H5T_NATIVE_CHAR, small_space, H5S_ALL, H5P_DEFAULT, buffer), "H5Dread");
}

static void whole_space_64(long n) {
    for (long i = 0; i < n; i++)
        good(H5Dwrite(small_set, H5T_NATIVE_CHAR, H5S_ALL, small_space, H5P_DEFAULT, buffer), "H5Dwrite");
}

// Some rows and columns, never the same ones twice in a row.
static void select_part(hid_t space, long i) {
    hsize_t start[2] = {i % (ROWS - PART), i % (ROWS - PART)};
    good(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL), "select");
}

static void hyperslab_1k(long n) {
    for (long i = 0; i < n; i++) {
        select_part(grid_space, i);
        good(H5Dwrite(grid, H5T_NATIVE_CHAR, grid_memory, grid_space, H5P_DEFAULT, buffer), "H5Dwrite");
    }
}

// As most programs do it: spaces are made for each access.
static void new_spaces(long n, hid_t set, hid_t properties, int is_write) {
    for (long i = 0; i < n; i++) {
        hid_t memory = H5Screate_simple(2, part, NULL), space = H5Dget_space(set);
        select_part(space, i);
        good(is_write ? H5Dwrite(set, H5T_NATIVE_CHAR, memory, space, properties, buffer)
                      : H5Dread(set, H5T_NATIVE_CHAR, memory, space, properties, buffer),
             "new spaces");
        good(H5Sclose(space), "H5Sclose");
        good(H5Sclose(memory), "H5Sclose");
    }
}

static void write_new_spaces(long n) { new_spaces(n, grid, H5P_DEFAULT, 1); }
static void read_new_spaces(long n) { new_spaces(n, grid, H5P_DEFAULT, 0); }
static void write_together(long n) { new_spaces(n, shared_grid, together, 1); }
static void read_together(long n) { new_spaces(n, shared_grid, together, 0); }
static void write_alone(long n) { new_spaces(n, grid, alone, 1); }

static void made_space(long n) {
    for (long i = 0; i < n; i++) {
        hid_t space = H5Screate_simple(2, all, NULL);
        select_part(space, i);
        good(H5Dwrite(grid, H5T_NATIVE_CHAR, grid_memory, space, H5P_DEFAULT, buffer), "H5Dwrite");
        good(H5Sclose(space), "H5Sclose");
    }
}

static void open_dataset(long n) {
    for (long i = 0; i < n; i++)
        good(H5Dclose(H5Dopen2(file, "small", H5P_DEFAULT)), "H5Dopen2");
}

static void open_chunks(long n) {
    for (long i = 0; i < n; i++)
        good(H5Dclose(H5Dopen2(file, "chunks", H5P_DEFAULT)), "H5Dopen2");
}

static void open_object(long n) {
    for (long i = 0; i < n; i++)
        good(H5Oclose(H5Oopen(file, "small", H5P_DEFAULT)), "H5Oopen");
}

static hid_t set_of(hid_t in, const char *name, hid_t space, hid_t creation) {
    hid_t made = H5Dcreate2(in, name, H5T_NATIVE_CHAR, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    check(made >= 0, name);
    return made;
}

static void make_dataset(long n, hid_t creation) {
    for (long i = 0; i < n; i++) {
        hid_t space = H5Screate_simple(2, all, NULL);
        good(H5Dclose(set_of(file, "made", space, creation)), "H5Dclose");
        good(H5Sclose(space), "H5Sclose");
        good(H5Ldelete(file, "made", H5P_DEFAULT), "H5Ldelete");
    }
}

static void create_dataset(long n) { make_dataset(n, H5P_DEFAULT); }
static void create_chunks(long n) { make_dataset(n, chunks); }

static void flush_file(long n) {
    for (long i = 0; i < n; i++)
        good(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
}

static void create_file(long n) {
    for (long i = 0; i < n; i++)
        good(H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)), "H5Fcreate");
}

static void open_file(long n) {
    for (long i = 0; i < n; i++)
        good(H5Fclose(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)), "H5Fopen");
}

static void open_through_mpiio(long n) {
    for (long i = 0; i < n; i++)
        good(H5Fclose(H5Fopen(path, H5F_ACC_RDWR, through_mpiio)), "H5Fopen");
}

static const struct row rows[] = {
    {"H5Dwrite 64 B", dataset_64, BATCH},
    {"H5Dread 64 B", read_64, BATCH},
    {"H5Dwrite 64 B, space", whole_space_64, BATCH},
    {"H5Dwrite 1 KiB hyperslab", hyperslab_1k, BATCH},
    {"H5Dwrite 1 KiB, made space", made_space, BATCH},
    {"H5Dwrite 1 KiB, new spaces", write_new_spaces, BATCH},
    {"H5Dread 1 KiB, new spaces", read_new_spaces, BATCH},
    {"H5Dwrite 1 KiB, independent", write_alone, BATCH},
    {"H5Dwrite 1 KiB, collective", write_together, FEW},
    {"H5Dread 1 KiB, collective", read_together, FEW},
    {"H5Dopen+close", open_dataset, BATCH},
    {"H5Dopen+close, chunks", open_chunks, BATCH},
    {"H5Oopen+close", open_object, BATCH},
    {"H5Dcreate+close", create_dataset, BATCH},
    {"H5Dcreate+close, chunks", create_chunks, BATCH},
    {"H5Fflush", flush_file, BATCH},
    {"H5Fcreate+close", create_file, FEW},
    {"H5Fopen+close", open_file, FEW},
    {"H5Fopen+close, MPI-IO", open_through_mpiio, FEW},
};

static hid_t file_at(const char *folder, const char *name, hid_t access) {
    // Drivers stand side by side, and HDF5 locks its files.
    snprintf(path, sizeof path, "%s/%s-%d.h5", folder, name, getpid());
    hid_t made = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    check(made >= 0, path);
    return made;
}

static void make_properties(void) {
    chunks = H5Pcreate(H5P_DATASET_CREATE);
    good(H5Pset_chunk(chunks, 2, part), "H5Pset_chunk");
    together = H5Pcreate(H5P_DATASET_XFER);
    good(H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE), "H5Pset_dxpl_mpio");
    alone = H5Pcreate(H5P_DATASET_XFER);
    through_mpiio = H5Pcreate(H5P_FILE_ACCESS);
    good(H5Pset_fapl_mpio(through_mpiio, MPI_COMM_WORLD, MPI_INFO_NULL), "H5Pset_fapl_mpio");
}

static void prepare(const char *folder) {
    make_properties();
    hsize_t small = 64;
    small_space = H5Screate_simple(1, &small, NULL);
    grid_space = H5Screate_simple(2, all, NULL);
    grid_memory = H5Screate_simple(2, part, NULL);
    shared_grid = set_of(file_at(folder, "shared", through_mpiio), "grid", grid_space, H5P_DEFAULT);
    file = file_at(folder, "data", H5P_DEFAULT);
    small_set = set_of(file, "small", small_space, H5P_DEFAULT);
    grid = set_of(file, "grid", grid_space, H5P_DEFAULT);
    good(H5Dclose(set_of(file, "chunks", grid_space, chunks)), "H5Dclose");
    // What was never written has no place in the file yet.
    dataset_64(1);
    // Its path stays for those that open and close it.
    good(H5Fclose(file_at(folder, "other", H5P_DEFAULT)), "H5Fclose");
}

const struct part hdf5 = PART(prepare, rows);
