// Runs snippets with two ranks and looks at what they have done.
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void check(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static long size_of(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (long)info.st_size : -1;
}

// Calls of write() so far.
static long writes(void)
{
    FILE *io = fopen("/proc/self/io", "r");
    char line[256];
    long count = -1;
    while (io && fgets(line, sizeof line, io))
        sscanf(line, "syscw: %ld", &count);
    if (io)
        fclose(io);
    return count;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank, nranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &nranks);
    check(nranks == 2, "two ranks");

    enum { MANY = 100000 };
    static double buf[MANY], back[2];
    int count = 2;
    MPI_Offset offset = rank * 16;
    buf[0] = 10 * rank + 1;
    buf[1] = 10 * rank + 2;
    const double expected[] = {1, 2, 11, 12};

    const char *path = "collective.dat";
    {
        /* collective write */
    }
    check(size_of(path) == 32, "both ranks have written their part");
    memcpy(back, buf, sizeof back);
    memset(buf, 0, sizeof back);
    {
        /* collective read */
    }
    check(memcmp(back, buf, sizeof back) == 0, "each rank reads what it wrote");

    path = "one.dat";
    count = 1 + rank;
    {
        /* one file */
    }
    check(size_of(path) == 24, "parts of different size follow each other");
    if (rank == 0) {
        double all[3];
        FILE *file = fopen(path, "rb");
        check(fread(all, sizeof *all, 3, file) == 3, "one file can be read");
        check(all[0] == 1 && all[1] == expected[2] && all[2] == expected[3], "in the order of ranks");
        fclose(file);
    }

    char own[64];
    snprintf(own, sizeof own, "own-%d", rank);
    path = own;
    const char *mode = "wb";
    count = MANY;
    long before = writes();
    {
        /* buffer writes */
    }
    check(before < 0 || writes() - before <= 2, "100,000 small writes are one");
    check(size_of(path) == 8L * MANY, "all is written");

    unsigned flags = H5F_ACC_TRUNC;
    hid_t file, dset;
    const char *name = "data";
    hsize_t length = 1 << 19;
    hid_t filespace = H5Screate_simple(1, &length, NULL);
    {
        /* alignment */
    }
    {
        /* no fill */
    }
    hid_t list = H5Dget_create_plist(dset);
    H5D_fill_time_t when;
    check(H5Pget_fill_time(list, &when) >= 0 && when == H5D_FILL_TIME_NEVER, "no fill values");
    check(H5Dwrite(dset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   calloc(length, sizeof(double))) >= 0, "the dataset can be written");
    haddr_t address = H5Dget_offset(dset);
    check(address != HADDR_UNDEF && address % 16777216 == 0, "the dataset is aligned");
    H5Pclose(list);
    H5Dclose(dset);
    H5Fclose(file);
    MPI_Finalize();
    return 0;
}
