// Ranks that differ, with the names of the TinyProf paper; one scene per run.
#include "../../../crates/region/include/tinyprof.hpp"

#include <cstring>
#include <mpi.h>
#include <unistd.h>

static int rank, ranks;

static void nap(long us) { usleep(us); }

// A subtree on one rank, with a leaf that all have elsewhere.
static void nested() {
    TinyProf::Event main("main");
    {
        TinyProf::Event lib("lib", 1);
    }
    if (rank == ranks - 1) {
        TinyProf::Event only("only", 0);
        TinyProf::Event lib("lib", 1);
        nap(3000);
    }
}

// Two names, first used in the opposite order.
static void order() {
    TinyProf::Event main("main");
    for (int i = 0; i < 2; i++) {
        if ((rank + i) % 2 == 0) {
            TinyProf::Event e("alpha", 1);
            ioglass::count("is alpha", 1);
            nap(9000);
        } else {
            TinyProf::Event e("beta", 1);
            ioglass::count("is beta", 1);
            nap(2000);
        }
    }
}

// Iterations that differ by rank and execution; a region that is first seen in the last execution.
static void trip() {
    for (int execution = 0; execution < 3; execution++) {
        TinyProf::Event main("main");
        for (int i = 0; i < 2 + execution + rank; i++) TinyProf::Event step("step", 1, 1);
        if (execution == 2) TinyProf::Event late("late", 1);
    }
}

static void repeat() {
    TinyProf::Event main("main");
    for (int i = 0; i < 3; i++) TinyProf::Event call("call", 1);
}

// Snapshots all the time, while ranks leave a region of all a different number of times.
static void dead() {
    TinyProf::Profiler profiler("dead", 0.0001);
    TinyProf::Event main("main");
    for (int i = 0; i < 100 * (rank + 1); i++) {
        TinyProf::Event common("common", 1);
        nap(10);
    }
}

// Metrics of some visits: none, zero, negative.
static void values() {
    TinyProf::Profiler profiler("values", 0, "tag:0,mem:1:B,gain:var");
    TinyProf::Event main("main");
    { TinyProf::Event e("none", 1, 1); }
    { TinyProf::Event e("zero", 1, 1, "compute,0,-2.5"); }
    { TinyProf::Event e("zero", 1, 1, "compute,,-0.5"); }
    { TinyProf::Event e("sum", 1, 2, "network,8"); }
    { TinyProf::Event e("sum", 1, 2, "mem=4"); }
}

// A hint that is wrong, and one that is right.
static void hints() {
    TinyProf::Event main("main", 1);
    if (rank == 0) TinyProf::Event part("part", 1);
    if (rank == 0) TinyProf::Event some("some", 0);
    ioglass::tag("kind", rank == 0 ? "first" : "other");
}

static void abort_all() {
    TinyProf::Event main("main");
    for (int i = 0; i <= rank; i++) TinyProf::Event step("step", 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    TinyProf::Event end("end", 1);
    if (rank == 0) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *scene = count > 1 ? words[1] : "";
    if (!std::strcmp(scene, "nested")) nested();
    if (!std::strcmp(scene, "order")) order();
    if (!std::strcmp(scene, "trip")) trip();
    if (!std::strcmp(scene, "repeat")) repeat();
    if (!std::strcmp(scene, "dead")) dead();
    if (!std::strcmp(scene, "values")) values();
    if (!std::strcmp(scene, "hints")) hints();
    if (!std::strcmp(scene, "abort")) abort_all();
    MPI_Finalize();
}
