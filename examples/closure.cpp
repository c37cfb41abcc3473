// The transitive closure of a graph: path(x, z) if edge(x, z), or path(x, y) and edge(y, z). Each
// rank has the tuples whose join column hashes to it. Every iteration joins what the last one found
// with the edges, sends the results to their ranks, and keeps what is new, until nothing is.
//
//     mpicxx -std=c++17 -O2 -I$(ioglass include) closure.cpp -o closure
//     ioglass run -o closure.darshan -- mpirun -n 4 ./closure
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <ioglass.hpp>
#include <unordered_map>
#include <unordered_set>
#include <vector>

using Node = std::uint32_t;

struct Tuple {
    Node from, to;
};

constexpr Node nodes = 240;  // a chain, and a short cut at every tenth node

int ranks, rank;

int owner(Node node) {
    return static_cast<int>((node * 2654435761u >> 8) % static_cast<unsigned>(ranks));
}

std::uint64_t key(Tuple tuple) {
    return std::uint64_t{tuple.from} << 32 | tuple.to;
}

// Sends each tuple to the rank that its second column belongs to.
std::vector<Tuple> shuffle(const std::vector<Tuple> &tuples) {
    ioglass::region r{"shuffle"};
    ioglass::tag("kind", "communication");
    std::vector<int> to(ranks), from(ranks), to_begin(ranks), from_begin(ranks);
    for (Tuple tuple : tuples) to[owner(tuple.to)] += static_cast<int>(sizeof(Tuple));
    MPI_Alltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int all_to = 0, all_from = 0;
    for (int i = 0; i < ranks; i++) {
        to_begin[i] = all_to, all_to += to[i];
        from_begin[i] = all_from, all_from += from[i];
    }
    std::vector<Tuple> out(tuples.size()), in(all_from / sizeof(Tuple));
    std::vector<int> next = to_begin;
    for (Tuple tuple : tuples) {
        int &at = next[owner(tuple.to)];
        out[at / sizeof(Tuple)] = tuple;
        at += static_cast<int>(sizeof(Tuple));
    }
    MPI_Alltoallv(out.data(), to.data(), to_begin.data(), MPI_BYTE, in.data(), from.data(),
                  from_begin.data(), MPI_BYTE, MPI_COMM_WORLD);
    ioglass::count("sent [B]", all_to - to[rank]);
    return in;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    ioglass::region main{"main"};
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    // Edges by their first column, paths by their second.
    std::unordered_multimap<Node, Node> edges;
    std::vector<Tuple> found;
    {
        ioglass::region r{"load"};
        for (Node node = 0; node + 1 < nodes; node++) {
            for (Node step : {1u, 5u}) {
                if (step == 5 && (node % 10 != 0 || node + 5 >= nodes)) continue;
                if (owner(node) == rank) edges.emplace(node, node + step);
                if (owner(node + step) == rank) found.push_back({node, node + step});
            }
        }
    }

    std::unordered_set<std::uint64_t> paths;
    long long new_paths = 1;
    int iterations = 0;
    while (new_paths != 0) {
        ioglass::iteration it{"iteration"};
        std::vector<Tuple> fresh;
        {
            ioglass::region r{"deduplicate"};
            for (Tuple tuple : found)
                if (paths.insert(key(tuple)).second) fresh.push_back(tuple);
            ioglass::count("new paths", fresh.size());
        }
        std::vector<Tuple> joined;
        {
            ioglass::region r{"join"};
            ioglass::tag("kind", "compute");
            for (Tuple tuple : fresh) {
                auto [begin, end] = edges.equal_range(tuple.to);
                for (auto edge = begin; edge != end; ++edge)
                    joined.push_back({tuple.from, edge->second});
            }
        }
        found = shuffle(joined);
        ioglass::region r{"fixpoint"};
        new_paths = static_cast<long long>(fresh.size());
        MPI_Allreduce(MPI_IN_PLACE, &new_paths, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        iterations++;
    }
    long long all = static_cast<long long>(paths.size());
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("closure: %lld paths in %d iterations\n", all, iterations);
    MPI_Finalize();
    return all == nodes * (nodes - 1LL) / 2 ? 0 : 1;
}
