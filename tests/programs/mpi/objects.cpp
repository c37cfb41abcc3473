// From C++, by several threads of a rank at a time.
// expect: MPIIO data: COLL_OPENS N, INDEP_WRITES 12N, MODE 5; w 64 x12N
// expect: MPIIO text: COLL_OPENS N, COLL_WRITES N, MODE 5; w 11 xN
#include <mpi.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

class File {
    MPI_File handle;

  public:
    File(const std::string &name) {
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &handle);
    }
    ~File() { MPI_File_close(&handle); }
    void write_at(long offset, const std::string &text) {
        MPI_File_write_at(handle, offset, text.data(), text.size(), MPI_CHAR, MPI_STATUS_IGNORE);
    }
    void write_all(const std::string &text) {
        MPI_File_write_all(handle, text.data(), text.size(), MPI_CHAR, MPI_STATUS_IGNORE);
    }
};

int main(int argc, char **argv) {
    if (chdir(argv[1]))
        return 1;
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    {
        File data("data"), text("text");
        auto work = [&](int thread) {
            for (int i = 0; i < 4; i++)
                data.write_at(64 * (12 * rank + 4 * thread + i), std::string(64, 'x'));
        };
        if (provided == MPI_THREAD_MULTIPLE) {
            std::vector<std::thread> threads;
            for (int i = 0; i < 3; i++)
                threads.emplace_back(work, i);
            for (auto &thread : threads)
                thread.join();
        } else {
            for (int i = 0; i < 3; i++)
                work(i);
        }
        text.write_all("hello world");
    }
    MPI_Finalize();
}
