// One rank, one call of MPI-IO or of a library above it over and over, in batches.
#include "rows.h"

#include <stdlib.h>
#include <string.h>

static const struct part *const parts[] = {&mpiio, &hdf5, &pnetcdf};
enum { PARTS = sizeof parts / sizeof *parts, MOST_ROWS = 64 };

static const struct row *rows[MOST_ROWS];
static int count;

static void prepare(const char *folder) {
    for (int p = 0; p < PARTS; p++) {
        parts[p]->prepare(folder);
        for (int r = 0; r < parts[p]->count; r++) {
            check(count < MOST_ROWS, "too many rows");
            rows[count++] = &parts[p]->rows[r];
        }
    }
}

// The first batch brings back into the caches what other processes have driven out; the second counts.
static double batch(int row) {
    int n = rows[row]->batch;
    rows[row]->make(n);
    return (double)timed(rows[row]->make, n) / n;
}

static void serve_batches(void) {
    const char *names[MOST_ROWS];
    for (int r = 0; r < count; r++)
        names[r] = rows[r]->name;
    serve(names, count, batch);
}

// For an instruction counter.
static void count_calls(const char *name, long calls) {
    for (int r = 0; r < count; r++) {
        if (strcmp(rows[r]->name, name))
            continue;
        rows[r]->make(rows[r]->batch);
        timed(rows[r]->make, calls);
        return;
    }
    check(0, name);
}

// Arguments as the other driver has them: directories, then the mode, which may be to count a call.
int main(int argc, char **argv) {
    check(argc > 1, "usage: driver TRACKED UNTRACKED mpi [count CALL TIMES]");
    // Open MPI's own MPI-IO opens further files, at its leisure.
    setenv("OMPI_MCA_io", "romio321", 0);
    // Who is alone need not look for networks and for others, which takes ten times as long as the rest of the start.
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("OMPI_MCA_btl", "self", 0);
    ok(MPI_Init(&argc, &argv), "MPI_Init");
    prepare(argv[1]);
    if (argc > 6)
        count_calls(argv[5], atol(argv[6]));
    else
        serve_batches();
    MPI_Finalize();
}
