/* A Fourier transform in two dimensions, there and back. Each rank has some rows: it transforms
 * them with FFTW, exchanges pieces with all others so that columns become rows, and transforms these.
 *
 *     mpicc -O2 -I$(ioglass include) fft.c -lfftw3 -lm -o fft
 *     ioglass run -o fft.darshan -- mpirun -n 4 ./fft
 */
#include <complex.h>
#include <fftw3.h> /* after complex.h its numbers are those of C */
#include <ioglass.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 256, REPEATS = 10 }; /* SIZE is a multiple of the ranks */

typedef double complex number;

static int ranks, rank;

/* FFTW's forward and backward transforms; neither divides by SIZE. */
static fftw_plan forward, backward;

static void transform_rows(number *field, int rows, fftw_plan plan) {
    IOGLASS_FUNCTION();
    ioglass_tag("kind", "compute");
    for (int i = 0; i < rows; i++) fftw_execute_dft(plan, field + i * SIZE, field + i * SIZE);
    ioglass_count("rows", rows);
}

/* Columns become rows, over all ranks. */
static void transpose(number *field, int rows, number *out, number *in) {
    IOGLASS_FUNCTION();
    {
        IOGLASS_REGION("pack");
        for (int to = 0; to < ranks; to++)
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < rows; j++)
                    out[(to * rows + j) * rows + i] = field[i * SIZE + to * rows + j];
    }
    {
        IOGLASS_REGION("exchange");
        ioglass_tag("kind", "communication");
        int bytes = rows * rows * (int)sizeof(number);
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        ioglass_count("sent [B]", (int64_t)bytes * (ranks - 1));
    }
    {
        IOGLASS_REGION("unpack");
        for (int from = 0; from < ranks; from++)
            for (int j = 0; j < rows; j++)
                for (int i = 0; i < rows; i++)
                    field[j * SIZE + from * rows + i] = in[(from * rows + j) * rows + i];
    }
}

static void transform(number *field, int rows, number *out, number *in, fftw_plan plan) {
    transform_rows(field, rows, plan);
    transpose(field, rows, out, in);
    transform_rows(field, rows, plan);
    transpose(field, rows, out, in);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    IOGLASS_REGION("main");
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int rows = SIZE / ranks;
    if (rows * ranks != SIZE) {
        if (rank == 0) fprintf(stderr, "the number of ranks must divide %d\n", SIZE);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    size_t cells = (size_t)rows * SIZE;
    /* Memory of FFTW's has the alignment that its plans expect. */
    number *field = fftw_malloc(cells * sizeof *field);
    number *out = malloc(cells * sizeof *out), *in = malloc(cells * sizeof *in);
    if (field == NULL || out == NULL || in == NULL) MPI_Abort(MPI_COMM_WORLD, 5);
    forward = fftw_plan_dft_1d(SIZE, field, field, FFTW_FORWARD, FFTW_ESTIMATE);
    backward = fftw_plan_dft_1d(SIZE, field, field, FFTW_BACKWARD, FFTW_ESTIMATE);

    double worst = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        IOGLASS_ITERATION("repeat");
        for (size_t i = 0; i < cells; i++) field[i] = sin(0.1 * (double)(i + cells * (size_t)rank));
        IOGLASS_ENTER("forward");
        transform(field, rows, out, in, forward);
        IOGLASS_LEAVE("forward");
        IOGLASS_ENTER("backward");
        transform(field, rows, out, in, backward);
        IOGLASS_LEAVE("backward");
        for (size_t i = 0; i < cells; i++) {
            number given = sin(0.1 * (double)(i + cells * (size_t)rank));
            worst = fmax(worst, cabs(field[i] / (SIZE * SIZE) - given));
        }
        ioglass_value("error", worst);
    }
    double all = 0;
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) printf("fft: %d x %d, error %.1e\n", SIZE, SIZE, all);
    fftw_destroy_plan(forward), fftw_destroy_plan(backward);
    fftw_free(field), free(out), free(in);
    MPI_Finalize();
    return all < 1e-12 ? 0 : 1;
}
