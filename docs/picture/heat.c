// The program of the README's pictures: heat spreads in a plane that ranks share by columns. Every
// few steps all ranks write their columns into one file, row by row, which makes many small writes.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 4096, COLUMNS = 96, CHECKPOINTS = 5, STEPS = 60 };

static double now[ROWS][COLUMNS], next[ROWS][COLUMNS];

static void must(int is_fine, const char *what) {
    if (!is_fine) {
        perror(what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void step(void) {
    for (int row = 1; row < ROWS - 1; row++)
        for (int column = 1; column < COLUMNS - 1; column++)
            next[row][column] = (now[row - 1][column] + now[row + 1][column] +
                                 now[row][column - 1] + now[row][column + 1]) / 4;
    memcpy(now, next, sizeof now);
}

static void checkpoint(int number, int rank, int ranks) {
    char name[64];
    snprintf(name, sizeof name, "plane.%d.bin", number);
    int file = open(name, O_CREAT | O_WRONLY, 0644);
    must(file >= 0, name);
    for (long row = 0; row < ROWS; row++) {
        long offset = (row * ranks + rank) * (long)sizeof now[0];
        must(pwrite(file, now[row], sizeof now[0], offset) == sizeof now[0], name);
    }
    close(file);
}

static void read_input(void) {
    int file = open("input.bin", O_RDONLY);
    must(file >= 0, "input.bin");
    for (char *to = (char *)now, *end = to + sizeof now; to < end; to += 64 << 10)
        must(read(file, to, 64 << 10) == 64 << 10, "input.bin");
    close(file);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    read_input();
    for (int number = 0; number < CHECKPOINTS; number++) {
        for (int i = 0; i < STEPS; i++)
            step();
        MPI_Barrier(MPI_COMM_WORLD);
        checkpoint(number, rank, ranks);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
