// Opens files with MPI-IO, writes once to each, and says how long a recorder takes when MPI ends, in
// nanoseconds, a line for each rank. Run by `ioglass-bench-shutdown`, bare and under each recorder.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static int64_t begin_ns;

// The first thing that MPI itself does at its end is to call this. What was before is the recorder's.
static int mpi_begins_to_end(MPI_Comm self, int key, void *value, void *extra) {
    (void)self, (void)key, (void)value, (void)extra;
    dprintf(1, "%lld\n", (long long)(now_ns() - begin_ns));
    return MPI_SUCCESS;
}

// Each rank opens by itself, also what others open: the records are those of shared files, without the
// cost of many collective opens by more ranks than processors.
static void write_once(const char *path, int rank) {
    char buffer[64] = {0};
    MPI_File file;
    if (MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file)) {
        fprintf(stderr, "driver: cannot open %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_write_at(file, rank * (MPI_Offset)sizeof buffer, buffer, sizeof buffer, MPI_BYTE,
                      MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: driver DIRECTORY shared|own FILES\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    int rank, is_shared = !strcmp(argv[2], "shared");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi(argv[3]); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/file-%d.%d", argv[1], i, is_shared ? 0 : rank);
        write_once(path, rank);
    }
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_begins_to_end, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    begin_ns = now_ns();
    MPI_Finalize();
    return 0;
}
