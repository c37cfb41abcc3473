// tinyprof.hpp: the names of the TinyProf paper, for programs that use them, over ioglass.hpp.
//
//     TinyProf::Profiler p("app", 5, "tag:0,mem:1");   // once: name, snapshots, metrics
//     TinyProf::Event e("solve");                      // a region until the end of the block
//     TinyProf::Event e("step", 1, 1, "compute,4096"); // on all ranks, an iteration, its metrics
//     TinyProf::Profiler::flush();                     // not needed: the end of the program does it
//
// SPDX-License-Identifier: MIT OR Apache-2.0
#ifndef IOGLASS_TINYPROF_HPP
#define IOGLASS_TINYPROF_HPP

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <locale>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "ioglass.hpp"

namespace TinyProf {

namespace impl {

// What a program has said about one of its metrics.
struct key {
    std::string name;    // as in key=value
    std::string metric;  // with its unit
    enum { none, tag, value } kind = none;
};

// What the Profiler was given.
struct settings {
    std::mutex lock;
    std::vector<key> keys;
    std::atomic<std::int64_t> period{0};  // of snapshots in nanoseconds; 0: none
    std::atomic<std::int64_t> due{0};     // the next one

    static settings &get() {
        // Never destroyed: events may outlive it.
        static settings &only = *new settings;
        return only;
    }
};

inline std::int64_t now() {
    auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

// The part before the separator, without blanks around it; the text begins behind it then.
inline std::string_view cut(std::string_view &text, char separator) {
    auto end = text.find(separator);
    auto part = text.substr(0, end);
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
    auto first = part.find_first_not_of(" \t\n");
    if (first == part.npos) return {};
    return part.substr(first, part.find_last_not_of(" \t\n") - first + 1);
}

// `key:flag` or `key:flag:unit`, by commas.
inline std::vector<key> parse_keys(std::string_view text) {
    std::vector<key> keys;
    while (!text.empty()) {
        auto part = cut(text, ',');
        key next;
        next.name = cut(part, ':');
        auto flag = cut(part, ':');
        auto unit = cut(part, ':');
        if (flag == "0" || flag == "const") next.kind = key::tag;
        if (flag == "1" || flag == "var") next.kind = key::value;
        next.metric = next.name;
        if (!unit.empty()) next.metric.append(" [").append(unit).append("]");
        keys.push_back(next);
    }
    return keys;
}

// Gives the innermost region a metric's value. What is not a number is none.
inline void give(const key &to, std::string_view text) {
    if (text.empty() || to.name.empty()) return;
    if (to.kind == key::tag) ioglass::tag(to.metric, text);
    if (to.kind != key::value) return;
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    double number;
    if (in >> number && in.peek() == std::istringstream::traits_type::eof())
        ioglass::value(to.metric, number);
}

// Values by commas in the order of the keys, or `key=value` by semicolons.
inline void give_all(std::string_view text) {
    settings &set = settings::get();
    std::lock_guard<std::mutex> held(set.lock);
    auto find = [&set](std::string_view name) -> const key * {
        for (const key &key : set.keys)
            if (key.name == name) return &key;
        return nullptr;
    };
    auto first = text;
    if (text.find('=') != text.npos && find(cut(first, '=')) != nullptr) {
        while (!text.empty()) {
            auto part = cut(text, ';');
            const key *to = find(cut(part, '='));
            if (to != nullptr) give(*to, cut(part, '\0'));
        }
        return;
    }
    for (const key &key : set.keys) give(key, cut(text, ','));
}

// Makes a snapshot if the next one is due; of several threads one does.
inline void snapshot_if_due() {
    settings &set = settings::get();
    std::int64_t period = set.period.load(std::memory_order_relaxed);
    if (period == 0) return;
    std::int64_t due = set.due.load(std::memory_order_relaxed), moment = now();
    if (moment >= due && set.due.compare_exchange_strong(due, moment + period)) ioglass::snapshot();
}

}  // namespace impl

// What holds for the whole program; made once, at its begin.
class Profiler {
public:
    // `seconds` is the time between snapshots, if IOGLASS_SNAPSHOT does not say it; 0: none.
    // `selfkeys` are the metrics: `key:0` (or const) is a tag, `key:1` (or var) a value, `key:1:B`
    // a value with a unit.
    explicit Profiler(std::string name, double seconds = 0, std::string selfkeys = "") {
        ioglass::profile(name);
        if (!ioglass::active()) return;
        impl::settings &set = impl::settings::get();
        std::lock_guard<std::mutex> held(set.lock);
        set.keys = impl::parse_keys(selfkeys);
        bool is_ours = seconds > 0 && seconds < 1e9 && std::getenv("IOGLASS_SNAPSHOT") == nullptr;
        std::int64_t period = is_ours ? static_cast<std::int64_t>(seconds * 1e9) : 0;
        set.due = impl::now() + period;
        set.period = period;
    }
    Profiler(const Profiler &) = delete;
    Profiler &operator=(const Profiler &) = delete;

    // Writes all there is so far; all ranks call it. 0, or a number as errno has.
    static int flush() { return ioglass::flush(); }
};

// A visit of a region, until the end of the block.
class [[nodiscard]] Event : private ioglass::impl::visit {
public:
    explicit Event(const std::string &name, IOGLASS_IMPL_PLACE)
        : visit(name, IOGLASS_KIND_REGION, file, line) {}
    // `is_common`: 1 if all ranks come here, 0 if only some do. A hint, which is compared with what
    // happens.
    Event(const std::string &name, int is_common, IOGLASS_IMPL_PLACE)
        : visit(name, IOGLASS_KIND_REGION, file, line) {
        ioglass::tag("ranks", is_common != 0 ? "all" : "some");
    }
    // `loop`: 0 none, 1 every visit keeps its time, 2 visits are summed up. `selfvalues`: values of
    // the metrics in their order, by commas, or `key=value;…`.
    Event(const std::string &name, int is_common, int loop, const std::string &selfvalues = "",
          IOGLASS_IMPL_PLACE)
        : visit(name, loop == 1 ? IOGLASS_KIND_ITERATION : IOGLASS_KIND_REGION, file, line) {
        ioglass::tag("ranks", is_common != 0 ? "all" : "some");
        if (!selfvalues.empty() && ioglass_impl_functions() != nullptr) impl::give_all(selfvalues);
    }
    ~Event() {
        leave();
        if (ioglass_impl_functions() != nullptr) impl::snapshot_if_due();
    }
};

}  // namespace TinyProf

#endif
