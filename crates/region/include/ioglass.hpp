// ioglass.hpp: regions of a C++17 program, for ioglass. Header only, nothing to link.
//
//     ioglass::region r{"solve"};              // until the end of the block, or r.leave()
//     ioglass::value("residual [m/s]", x);     // a number of the region, with its unit
//
// Names are any bytes, made at run time if need be. The macros of ioglass.h look a name up only
// once. Nothing here throws, prints or fails. SPDX-License-Identifier: MIT OR Apache-2.0
#ifndef IOGLASS_HPP
#define IOGLASS_HPP

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include "ioglass.h"

// The place of a call, as defaults of its last parameters.
#if defined(__GNUC__)
#define IOGLASS_IMPL_PLACE \
    const char *file = __builtin_FILE(), std::uint32_t line = __builtin_LINE()
#else
#define IOGLASS_IMPL_PLACE const char *file = nullptr, std::uint32_t line = 0
#endif

namespace ioglass {

using context = ioglass_context;

namespace impl {

// A visit that ends with the object, also if an exception passes. It keeps a copy of its name,
// which may be gone by then. Without memory for it, the innermost region is left.
class visit {
public:
    ~visit() { leave(); }
    visit(const visit &) = delete;
    visit &operator=(const visit &) = delete;

    // Ends the visit now. The second time does nothing.
    void leave() noexcept {
        if (!is_open) return;
        is_open = false;
        ioglass_leave_n(size > sizeof here ? far : here, size);
        std::free(far);
        far = nullptr;
    }

protected:
    visit(std::string_view name, std::uint32_t kind, const char *file,
          std::uint32_t line) noexcept {
        if (ioglass_impl_functions() == nullptr) return;
        is_open = true;
        size = name.size();
        if (size > sizeof here) far = static_cast<char *>(std::malloc(size));
        char *copy = size > sizeof here ? far : here;
        if (copy != nullptr && size != 0) std::memcpy(copy, name.data(), size);
        ioglass_enter_at(name.data(), size, kind, file, line);
    }

private:
    bool is_open = false;
    std::size_t size = 0;
    char *far = nullptr;
    char here[64];
};

// Any whole number as 64 bits with a sign; beyond it, the largest.
template <class Number>
std::int64_t whole(Number n) noexcept {
    if constexpr (std::is_unsigned_v<Number> && sizeof(Number) >= sizeof(std::int64_t)) {
        constexpr Number most = std::numeric_limits<std::int64_t>::max();
        if (n > most) n = most;
    }
    return static_cast<std::int64_t>(n);
}

}  // namespace impl

// A visit of a region, until the end of the block.
class [[nodiscard]] region : public impl::visit {
public:
    explicit region(std::string_view name, IOGLASS_IMPL_PLACE) noexcept
        : visit(name, IOGLASS_KIND_REGION, file, line) {}
};

// The same, first in a loop's body: every pass keeps its time.
class [[nodiscard]] iteration : public impl::visit {
public:
    explicit iteration(std::string_view name, IOGLASS_IMPL_PLACE) noexcept
        : visit(name, IOGLASS_KIND_ITERATION, file, line) {}
};

// What may overlap other spans, and end in any order and in any thread.
class [[nodiscard]] span {
public:
    explicit span(std::string_view name, IOGLASS_IMPL_PLACE) noexcept
        : number(ioglass_start_at(name.data(), name.size(), file, line)) {}
    ~span() { stop(); }
    span(span &&other) noexcept : number(other.number) { other.number = 0; }
    span &operator=(span &&other) noexcept {
        if (this != &other) {
            stop();
            number = other.number;
            other.number = 0;
        }
        return *this;
    }

    // Ends the span now. The second time does nothing.
    void stop() noexcept {
        ioglass_stop(number);
        number = 0;
    }

private:
    ioglass_span number;
};

// While it lives, what this thread does counts below the region of the context.
class [[nodiscard]] attach {
public:
    explicit attach(context c) noexcept { ioglass_attach(c); }
    ~attach() { ioglass_detach(); }
    attach(const attach &) = delete;
    attach &operator=(const attach &) = delete;
};

// The region this thread is in.
[[nodiscard]] inline context here() noexcept { return ioglass_here(); }

// Adds to a metric of the innermost open region.
template <class Number, class = std::enable_if_t<std::is_integral_v<Number>>>
void count(std::string_view metric, Number n) noexcept {
    ioglass_count_n(metric.data(), metric.size(), impl::whole(n));
}

// Notes a value there.
template <class Number, class = std::enable_if_t<std::is_arithmetic_v<Number>>>
void value(std::string_view metric, Number x) noexcept {
    ioglass_value_n(metric.data(), metric.size(), static_cast<double>(x));
}

// Gives it a text, the same for all visits.
inline void tag(std::string_view key, std::string_view text) noexcept {
    ioglass_tag_n(key.data(), key.size(), text.data(), text.size());
}

// The program begins once more.
inline void execution() noexcept { ioglass_execution(); }

// Writes the profile as it is now; 0, or a number as errno has.
inline int flush() noexcept { return ioglass_flush(); }

// Makes the state of this process readable from outside now.
inline void snapshot() noexcept { ioglass_snapshot(); }

// Names the profile.
inline void profile(std::string_view name) noexcept {
    ioglass_profile_n(name.data(), name.size());
}

// True if somebody listens.
[[nodiscard]] inline bool active() noexcept { return ioglass_active() != 0; }

}  // namespace ioglass

#endif
