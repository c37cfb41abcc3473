// Every spelling of ioglass.hpp, and the macros as guards; `calls:` below has what the runtime is told.
#include <ioglass.hpp>

#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

template <class Guard>
constexpr bool stays = !std::is_copy_constructible_v<Guard> && !std::is_move_constructible_v<Guard> &&
                       !std::is_copy_assignable_v<Guard> && !std::is_move_assignable_v<Guard>;
static_assert(stays<ioglass::region> && stays<ioglass::iteration> && stays<ioglass::attach>);
static_assert(!std::is_copy_constructible_v<ioglass::span>);
static_assert(std::is_nothrow_move_constructible_v<ioglass::span>);
static_assert(std::is_nothrow_move_assignable_v<ioglass::span>);

template <class Number>
Number twice(Number x) {
    IOGLASS_FUNCTION();
    IOGLASS_REGION("in a template");
    return x + x;
}

inline void step(int i) {
    ioglass::region r{"a long name of step " + std::to_string(i) + " " + std::string(60, 'x')};
    if (i == 2) throw std::runtime_error("two");
    r.leave();
    r.leave();
}

struct before_and_after {
    before_and_after() { ioglass::region r{"before main"}; }
    ~before_and_after() { IOGLASS_REGION("after main"); }
} const object;

int main() {
    ioglass::region main{"main"};
    for (int i = 0; i < 2; i++) {
        ioglass::iteration it{"step"};
        step(i);
    }
    try {
        ioglass::region outer{"outer"};
        IOGLASS_ITERATION("guard");
        step(2);
    } catch (const std::exception &) {
        IOGLASS_ENTER("handler");
        IOGLASS_LEAVE("handler");
    }
    twice(1), twice(2.0);
    auto lambda = [] { IOGLASS_REGION("lambda"); };
    lambda();
    {
        ioglass::region bytes{std::string_view("a\0b", 3)};
        ioglass::region nothing{std::string_view()};
    }
    ioglass::span first{"prefetch"}, second{"store"};
    std::thread([moved = std::move(first), c = ioglass::here()]() mutable {
        ioglass::attach a{c};
        ioglass::region r{"work"};
        moved.stop();
        moved.stop();
    }).join();
    second = ioglass::span{"another"};
    std::vector<int> cells(3);
    ioglass::count("cells", cells.size());
    ioglass::count("most", ~0ull);
    ioglass::count("less", -3);
    ioglass::value("residual [m/s]", 0.5f);
    ioglass::value("whole", 2);
    ioglass::tag("kind", std::string("io"));
    ioglass::execution();
    ioglass::snapshot();
    ioglass::profile("name");
    int status = ioglass::flush();
    return ioglass::active() ? status : 3;
}

// calls:
// 0 regions 1
// 0 enter "before main" region spellings.cpp:33
// 0 leave "before main"
// 0 enter "main" region spellings.cpp:38
// 0 enter "step" iteration spellings.cpp:40
// 0 enter "a long name of step 0 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" region spellings.cpp:26
// 0 leave "a long name of step 0 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
// 0 leave "step"
// 0 enter "step" iteration spellings.cpp:40
// 0 enter "a long name of step 1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" region spellings.cpp:26
// 0 leave "a long name of step 1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
// 0 leave "step"
// 0 enter "outer" region spellings.cpp:44
// 0 enter_site "guard" iteration spellings.cpp:45
// 0 enter "a long name of step 2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" region spellings.cpp:26
// 0 leave "a long name of step 2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
// 0 leave_site "guard"
// 0 leave "outer"
// 0 enter_site "handler" region spellings.cpp:48
// 0 leave_site "handler"
// 0 enter_site "twice" region spellings.cpp:20
// 0 enter_site "in a template" region spellings.cpp:21
// 0 leave_site "in a template"
// 0 leave_site "twice"
// 0 enter_site "twice" region spellings.cpp:20
// 0 enter_site "in a template" region spellings.cpp:21
// 0 leave_site "in a template"
// 0 leave_site "twice"
// 0 enter_site "lambda" region spellings.cpp:52
// 0 leave_site "lambda"
// 0 enter "a\x00b" region spellings.cpp:55
// 0 enter null region spellings.cpp:56
// 0 leave ""
// 0 leave "a\x00b"
// 0 start "prefetch" spellings.cpp:58 -> 1
// 0 start "store" spellings.cpp:58 -> 2
// 0 here -> 18446744073709551615
// 1 attach 18446744073709551615
// 1 enter "work" region spellings.cpp:61
// 1 stop 1
// 1 leave "work"
// 1 detach
// 0 start "another" spellings.cpp:65 -> 3
// 0 stop 2
// 0 count "cells" 3
// 0 count "most" 9223372036854775807
// 0 count "less" -3
// 0 value "residual [m/s]" 0.5
// 0 value "whole" 2
// 0 tag "kind" "io"
// 0 execution
// 0 snapshot
// 0 profile "name"
// 0 flush -> 0
// 0 active -> 1
// 0 stop 3
// 0 leave "main"
// 0 enter_site "after main" region spellings.cpp:34
// 0 leave_site "after main"
