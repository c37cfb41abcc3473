// Time steps of a field, each written at several resolutions, coarse to fine, into one file with
// MPI-IO: a viewer reads only as much as it shows.
//
//     mpicxx -std=c++17 -O2 -I$(ioglass include) writer.cpp -o writer
//     ioglass run -o writer.darshan -- mpirun -n 4 ./writer
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <tinyprof.hpp>
#include <vector>

constexpr int side = 32, levels = 4, steps = 8;  // the cube of a rank; halved at each level

using Field = std::vector<float>;

int ranks, rank;

std::size_t cells(int side_of_level) {
    auto n = static_cast<std::size_t>(side_of_level);
    return n * n * n;
}

void simulate(Field &field, int step) {
    TinyProf::Event e("simulate", 1, 2, "compute");
    for (std::size_t i = 0; i < field.size(); i++)
        field[i] = std::sin(0.001f * static_cast<float>(i) + static_cast<float>(step + rank));
}

// Half the resolution: every eight cells become their mean.
Field coarser(const Field &fine, int n) {
    TinyProf::Event e("coarsen", 1, 2, "compute");
    int half = n / 2;
    Field coarse(cells(half));
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int at = (z / 2 * half + y / 2) * half + x / 2;
                coarse[at] += fine[(z * n + y) * n + x] / 8;
            }
    return coarse;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string path = argc > 1 ? argv[1] : "writer.out";
    bool is_right = true;
    {
        TinyProf::Profiler profiler("writer", 0, "kind:const,level:var,bytes:var:B");
        TinyProf::Event main("main");
        MPI_File file;
        {
            TinyProf::Event e("open", 1, 0, "io");
            int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
            if (MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file) != 0)
                MPI_Abort(MPI_COMM_WORLD, 2);
        }
        Field field(cells(side));
        MPI_Offset begin = 0;
        for (int step = 0; step < steps; step++) {
            TinyProf::Event e("step", 1, 1);
            simulate(field, step);
            std::vector<Field> pyramid{field};
            for (int level = 1; level < levels; level++)
                pyramid.push_back(coarser(pyramid.back(), side >> (level - 1)));
            for (int level = levels - 1; level >= 0; level--) {
                const Field &data = pyramid[level];
                auto bytes = static_cast<MPI_Offset>(data.size() * sizeof(float));
                TinyProf::Event w("write", 1, 2,
                                  "io," + std::to_string(level) + "," + std::to_string(bytes));
                MPI_File_write_at_all(file, begin + rank * bytes, data.data(),
                                      static_cast<int>(data.size()), MPI_FLOAT, MPI_STATUS_IGNORE);
                begin += ranks * bytes;
            }
        }
        if (rank == 0) {
            // Only one rank looks whether the last step is there.
            TinyProf::Event e("check", 0);
            Field read(field.size());
            auto all = static_cast<MPI_Offset>(field.size() * sizeof(float)) * ranks;
            MPI_File_read_at(file, begin - all, read.data(), static_cast<int>(read.size()),
                             MPI_FLOAT, MPI_STATUS_IGNORE);
            is_right = read == field;
            std::printf("writer: %d steps, %lld bytes\n", steps, static_cast<long long>(begin));
        }
        MPI_File_close(&file);
    }
    MPI_Finalize();
    return is_right ? 0 : 1;
}
