// The same pairs with Caliper, for comparison; prints what cost.c prints. With CALI_CONFIG unset
// nobody listens.
#include <caliper/cali.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

enum { ROUNDS = 60, CALLS = 20000, DEPTH = 5, SIBLINGS = 100 };

#define KEEP __asm__ volatile("" ::: "memory")

static std::vector<std::string> names;

static void empty(int calls) {
    for (int i = 0; i < calls; i++) KEEP;
}
static void flat(int calls) {
    for (int i = 0; i < calls; i++) {
        CALI_MARK_BEGIN("flat");
        KEEP;
        CALI_MARK_END("flat");
    }
}
static void deep(int calls) {
    static const char *const path[DEPTH] = {"one", "two", "three", "four", "five"};
    for (int i = 0; i < calls / DEPTH; i++) {
        for (int at = 0; at < DEPTH; at++) CALI_MARK_BEGIN(path[at]);
        KEEP;
        for (int at = DEPTH; at-- > 0;) CALI_MARK_END(path[at]);
    }
}
static void siblings(int calls) {
    CALI_MARK_BEGIN("some");
    for (int i = 0; i < calls; i++) {
        const char *name = names[i % SIBLINGS].c_str();
        CALI_MARK_BEGIN(name);
        KEEP;
        CALI_MARK_END(name);
    }
    CALI_MARK_END("some");
}
static void iteration(int calls) {
    CALI_CXX_MARK_LOOP_BEGIN(loop, "loop");
    for (int i = 0; i < calls; i++) {
        CALI_CXX_MARK_LOOP_ITERATION(loop, i);
        KEEP;
    }
    CALI_CXX_MARK_LOOP_END(loop);
}

static double cpu() {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e9 + double(time.tv_nsec);
}

static double each(void (*function)(int)) {
    function(CALLS / 4);
    double begin = cpu();
    function(CALLS);
    return (cpu() - begin) / CALLS;
}

static double at(std::vector<double> list, double share) {
    std::sort(list.begin(), list.end());
    return list[size_t(share * double(list.size() - 1))];
}

int main() {
    for (int i = 0; i < SIBLINGS; i++) names.push_back("sibling " + std::to_string(i));
    struct line {
        const char *name;
        void (*function)(int);
        std::vector<double> rounds;
    };
    std::vector<line> lines = {{"empty", empty, {}}, {"flat", flat, {}}, {"depth 5", deep, {}},
                               {"100 siblings", siblings, {}}, {"iteration", iteration, {}}};
    CALI_MARK_BEGIN("main");
    for (int round = 0; round < ROUNDS; round++)
        for (auto &line : lines) line.rounds.push_back(each(line.function));
    for (auto &line : lines) {
        std::vector<double> own, ratio;
        for (int round = 0; round < ROUNDS; round++) {
            own.push_back(line.rounds[round] - lines[0].rounds[round]);
            ratio.push_back(own.back() / (lines[1].rounds[round] - lines[0].rounds[round]));
        }
        std::printf("%s\t%.3f\t%.4f\t0\n", line.name, at(own, 0.25), at(ratio, 0.5));
    }
    CALI_MARK_END("main");
}
