/* ioglass.h: regions of a program, for ioglass. C99 or C++11, header only, nothing to link.
 *
 *     IOGLASS_REGION("solve");              until the end of the block
 *     IOGLASS_ITERATION("step");            the same, first in a loop's body: each keeps its time
 *     ioglass_value("residual [m/s]", r);   a number of the region, with its unit
 *
 * The runtime, libioglass.so, is looked for at the first call: `ioglass run` loads it, and so does
 * IOGLASS_REGIONS=1. Without it a call costs a load and a branch. -DIOGLASS_NO_REGIONS removes all.
 * No call fails, prints, aborts or changes errno. SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef IOGLASS_H
#define IOGLASS_H

#include <stddef.h>
#include <stdint.h>

/* Where there is no runtime, there is nothing to look for. */
#if !defined(IOGLASS_NO_REGIONS) && defined(__linux__) && defined(__LP64__) && defined(__GNUC__)
#define IOGLASS_IMPL_ON 1
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#else
#define IOGLASS_IMPL_ON 0
#endif

#ifdef __cplusplus
#define IOGLASS_IMPL_NULL nullptr
extern "C" {
#else
#define IOGLASS_IMPL_NULL NULL
#endif

/* How functions of this header are defined. Removed ones leave nothing, not even unoptimised. */
#if !defined(__GNUC__)
#define IOGLASS_IMPL_ATTRIBUTES
#elif IOGLASS_IMPL_ON
#define IOGLASS_IMPL_ATTRIBUTES __attribute__((visibility("hidden")))
#else
#define IOGLASS_IMPL_ATTRIBUTES __attribute__((always_inline))
#endif
#ifdef __cplusplus
#define IOGLASS_IMPL_INLINE IOGLASS_IMPL_ATTRIBUTES inline
#elif IOGLASS_IMPL_ON
#define IOGLASS_IMPL_INLINE static inline
#else
#define IOGLASS_IMPL_INLINE IOGLASS_IMPL_ATTRIBUTES static inline
#endif

/* ---- Types ---- */

/* One place in the code. Static; the runtime keeps a number in it. */
typedef struct ioglass_site {
    const char *name;
    uint32_t size; /* bytes of the name */
    uint32_t kind; /* 0 region, 1 iteration */
    const char *file;
    uint32_t line;
    uint32_t id; /* 0; the runtime's own */
} ioglass_site;

typedef uint64_t ioglass_span;    /* 0 is no span */
typedef uint64_t ioglass_context; /* 0 is outside all regions */

#define IOGLASS_KIND_REGION 0
#define IOGLASS_KIND_ITERATION 1

/* What the runtime gives, version 1. No pointer is null; later versions append. */
typedef struct ioglass_functions {
    uint32_t size, version; /* bytes of this table; 1 */
    void (*enter_site)(ioglass_site *site);
    void (*leave_site)(ioglass_site *site);
    void (*enter)(const char *name, size_t size, uint32_t kind, const char *file, uint32_t line);
    void (*leave)(const char *name, size_t size); /* NULL: the innermost */
    uint64_t (*start)(const char *name, size_t size, const char *file, uint32_t line);
    void (*stop)(uint64_t span);
    void (*count)(const char *metric, size_t size, int64_t n);
    void (*value)(const char *metric, size_t size, double x);
    void (*tag)(const char *key, size_t key_size, const char *text, size_t text_size);
    uint64_t (*here)(void);
    void (*attach)(uint64_t context);
    void (*detach)(void);
    void (*execution)(void);
    int (*flush)(void);
    void (*snapshot)(void);
    void (*profile)(const char *name, size_t size);
    int (*active)(void);
} ioglass_functions;

/* A site by its name, which is a string literal: anything else does not compile. */
#define IOGLASS_SITE(name) IOGLASS_IMPL_SITE("" name "", IOGLASS_KIND_REGION)
#define IOGLASS_ITERATION_SITE(name) IOGLASS_IMPL_SITE("" name "", IOGLASS_KIND_ITERATION)
#define IOGLASS_IMPL_SITE(name, kind) { name, sizeof(name) - 1, kind, __FILE__, __LINE__, 0 }

/* ---- Finding the runtime ---- */

#if IOGLASS_IMPL_ON

/* The table of the runtime; 0 if there is none, 1 if nobody has looked yet. One for all sources
 * that are linked together. */
extern uintptr_t ioglass_impl_found_1 __attribute__((weak, visibility("hidden")));
uintptr_t ioglass_impl_found_1 = 1;

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast"
#endif

/* Loaded objects are searched here rather than by dlsym(3): that needs -ldl with older C libraries,
 * warns in static programs, allocates where it finds nothing, and changes what dlerror(3) says. */

typedef struct ioglass_impl_object { /* dl_phdr_info of <link.h>, which needs _GNU_SOURCE */
    uintptr_t base;
    const char *path;
    const void *headers;
    uint16_t count;
} ioglass_impl_object;

typedef struct ioglass_impl_header { /* Elf64_Phdr */
    uint32_t type, flags;
    uint64_t offset, address, physical, in_file, in_memory, align;
} ioglass_impl_header;

typedef struct ioglass_impl_dynamic { /* Elf64_Dyn */
    int64_t tag;
    uint64_t value;
} ioglass_impl_dynamic;

typedef struct ioglass_impl_symbol { /* Elf64_Sym */
    uint32_t name;
    unsigned char info, other;
    uint16_t section;
    uint64_t value, size;
} ioglass_impl_symbol;

typedef struct ioglass_impl_tables { /* of one object */
    uintptr_t base;
    const ioglass_impl_symbol *symbols;
    const char *strings;
    const uint32_t *gnu_hash, *hash;
} ioglass_impl_tables;

typedef struct ioglass_impl_wanted {
    const char *name;
    uintptr_t address;
} ioglass_impl_wanted;

extern int ioglass_impl_objects(int (*see)(ioglass_impl_object *, size_t, void *), void *data)
    __asm__("dl_iterate_phdr");
extern unsigned long ioglass_impl_auxiliary(unsigned long type) __asm__("getauxval");

/* The address of symbol `at` if it is the function of that name, else 0. */
IOGLASS_IMPL_INLINE uintptr_t ioglass_impl_match(
    const ioglass_impl_tables *tables, uint32_t at, const char *name) {
    const ioglass_impl_symbol *symbol = tables->symbols + at;
    if ((symbol->info & 15) != 2 || symbol->section == 0 || symbol->value == 0) return 0;
    if (strcmp(tables->strings + symbol->name, name) != 0) return 0;
    return tables->base + (uintptr_t)symbol->value;
}

IOGLASS_IMPL_INLINE uintptr_t ioglass_impl_by_gnu_hash(
    const ioglass_impl_tables *tables, const char *name) {
    const uint32_t *table = tables->gnu_hash;
    const uint32_t *buckets = table + 4 + (size_t)table[2] * 2;
    const uint32_t *chain = buckets + table[0];
    uint32_t first = table[1], hash = 5381, at;
    const char *c;
    for (c = name; *c != 0; c++) hash = hash * 33 + (unsigned char)*c;
    if (table[0] == 0) return 0;
    at = buckets[hash % table[0]];
    if (at < first) return 0;
    for (;; at++) {
        uint32_t other = chain[at - first];
        if ((other | 1) == (hash | 1)) {
            uintptr_t address = ioglass_impl_match(tables, at, name);
            if (address != 0) return address;
        }
        if ((other & 1) != 0) return 0; /* the last of its bucket */
    }
}

IOGLASS_IMPL_INLINE uintptr_t ioglass_impl_by_hash(
    const ioglass_impl_tables *tables, const char *name) {
    uint32_t count = tables->hash[1], at;
    for (at = 1; at < count; at++) {
        uintptr_t address = ioglass_impl_match(tables, at, name);
        if (address != 0) return address;
    }
    return 0;
}

/* Looks for a function in one object; for dl_iterate_phdr(3), which ends where it is found. */
IOGLASS_IMPL_INLINE int ioglass_impl_search(ioglass_impl_object *object, size_t size, void *data) {
    ioglass_impl_wanted *wanted = (ioglass_impl_wanted *)data;
    const ioglass_impl_header *header = (const ioglass_impl_header *)object->headers;
    const ioglass_impl_header *end = header + object->count;
    const ioglass_impl_dynamic *dynamic;
    ioglass_impl_tables tables = {
        0, IOGLASS_IMPL_NULL, IOGLASS_IMPL_NULL, IOGLASS_IMPL_NULL, IOGLASS_IMPL_NULL};
    tables.base = object->base;
    (void)size;
    while (header != end && header->type != 2) header++;
    if (header == end) return 0;
    dynamic = (const ioglass_impl_dynamic *)(object->base + (uintptr_t)header->address);
    for (; dynamic->tag != 0; dynamic++) {
        /* Some loaders have made addresses of these, others have not. */
        uintptr_t place = (uintptr_t)dynamic->value;
        if (place < object->base) place += object->base;
        if (dynamic->tag == 4) tables.hash = (const uint32_t *)place;
        if (dynamic->tag == 5) tables.strings = (const char *)place;
        if (dynamic->tag == 6) tables.symbols = (const ioglass_impl_symbol *)place;
        if (dynamic->tag == 0x6ffffef5) tables.gnu_hash = (const uint32_t *)place;
    }
    if (tables.symbols == IOGLASS_IMPL_NULL || tables.strings == IOGLASS_IMPL_NULL) return 0;
    if (tables.gnu_hash != IOGLASS_IMPL_NULL)
        wanted->address = ioglass_impl_by_gnu_hash(&tables, wanted->name);
    else if (tables.hash != IOGLASS_IMPL_NULL)
        wanted->address = ioglass_impl_by_hash(&tables, wanted->name);
    return wanted->address != 0;
}

/* The function of that name in the first loaded object that has it, or 0. */
IOGLASS_IMPL_INLINE uintptr_t ioglass_impl_lookup(const char *name) {
    ioglass_impl_wanted wanted;
    wanted.name = name;
    wanted.address = 0;
    ioglass_impl_objects(ioglass_impl_search, &wanted);
    return wanted.address;
}

/* The library of IOGLASS_REGION_LIB, loaded, and its ioglass_regions, or 0. */
IOGLASS_IMPL_INLINE uintptr_t ioglass_impl_load(void) {
    const char *path = getenv("IOGLASS_REGION_LIB");
    uintptr_t load = ioglass_impl_lookup("dlopen");
    if (load == 0) return 0;
    if (path == IOGLASS_IMPL_NULL || *path == 0) path = "libioglass.so";
    /* 2 is RTLD_NOW | RTLD_LOCAL. */
    if (((void *(*)(const char *, int))load)(path, 2) == IOGLASS_IMPL_NULL) return 0;
    return ioglass_impl_lookup("ioglass_regions");
}

/* Another thread may be loading the library: it is listed before it is ready. dlopen(3) of the program
 * itself returns when the loader has done. */
IOGLASS_IMPL_INLINE void ioglass_impl_wait(void) {
    uintptr_t load = ioglass_impl_lookup("dlopen");
    if (load != 0) (void)((void *(*)(const char *, int))load)(IOGLASS_IMPL_NULL, 2);
}

/* The table of the runtime, or 0. */
IOGLASS_IMPL_INLINE uintptr_t ioglass_impl_table(void) {
    const char *setting;
    uintptr_t regions;
    if (ioglass_impl_auxiliary(23 /* AT_SECURE */) != 0) return 0;
    setting = getenv("IOGLASS_REGIONS");
    if (setting == IOGLASS_IMPL_NULL) setting = "";
    if (strcmp(setting, "0") == 0 || strcmp(setting, "off") == 0) return 0;
    regions = ioglass_impl_lookup("ioglass_regions");
    if (strcmp(setting, "1") == 0 || strcmp(setting, "on") == 0) {
        if (regions == 0)
            regions = ioglass_impl_load();
        else if (getenv("LD_PRELOAD") == IOGLASS_IMPL_NULL)
            ioglass_impl_wait();
    }
    return regions == 0 ? 0 : (uintptr_t)((const void *(*)(unsigned))regions)(1);
}

/* Finds the runtime. Threads that do so at the same time find the same. */
extern uintptr_t ioglass_impl_find_1(void)
    __attribute__((weak, visibility("hidden"), noinline, cold));
uintptr_t ioglass_impl_find_1(void) {
    int before = errno;
    uintptr_t found = ioglass_impl_table();
    __atomic_store_n(&ioglass_impl_found_1, found, __ATOMIC_RELEASE);
    errno = before;
    return found;
}

/* The functions of the runtime, or NULL if nobody listens. */
IOGLASS_IMPL_INLINE const ioglass_functions *ioglass_impl_functions(void) {
    uintptr_t found = __atomic_load_n(&ioglass_impl_found_1, __ATOMIC_ACQUIRE);
    if (__builtin_expect(found == 0, 1)) return IOGLASS_IMPL_NULL;
    if (__builtin_expect(found == 1, 0)) found = ioglass_impl_find_1();
    return (const ioglass_functions *)found;
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#else

IOGLASS_IMPL_INLINE const ioglass_functions *ioglass_impl_functions(void) {
    return IOGLASS_IMPL_NULL;
}

#endif

/* ---- Functions: names made at run time, which are copied and looked up each time ---- */

IOGLASS_IMPL_INLINE size_t ioglass_impl_size(const char *text) {
    size_t size = 0;
#if IOGLASS_IMPL_ON
    if (text != IOGLASS_IMPL_NULL) size = strlen(text);
#else
    (void)text;
#endif
    return size;
}

/* Any bytes, with the place in the source; kind is IOGLASS_KIND_… */
IOGLASS_IMPL_INLINE void ioglass_enter_at(
    const char *name, size_t size, uint32_t kind, const char *file, uint32_t line) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->enter(name, name ? size : 0, kind, file, line);
}

IOGLASS_IMPL_INLINE void ioglass_impl_enter(
    const char *name, uint32_t kind, const char *file, uint32_t line) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->enter(name, ioglass_impl_size(name), kind, file, line);
}

/* As functions these lack the place in the source; as calls they are macros that have it. */
IOGLASS_IMPL_INLINE void ioglass_enter(const char *name) {
    ioglass_impl_enter(name, IOGLASS_KIND_REGION, IOGLASS_IMPL_NULL, 0);
}
IOGLASS_IMPL_INLINE void ioglass_enter_iteration(const char *name) {
    ioglass_impl_enter(name, IOGLASS_KIND_ITERATION, IOGLASS_IMPL_NULL, 0);
}
IOGLASS_IMPL_INLINE void ioglass_enter_n(const char *name, size_t size) {
    ioglass_enter_at(name, size, IOGLASS_KIND_REGION, IOGLASS_IMPL_NULL, 0);
}
#define ioglass_enter(name) ioglass_impl_enter(name, IOGLASS_KIND_REGION, __FILE__, __LINE__)
#define ioglass_enter_iteration(name) \
    ioglass_impl_enter(name, IOGLASS_KIND_ITERATION, __FILE__, __LINE__)
#define ioglass_enter_n(name, size) \
    ioglass_enter_at(name, size, IOGLASS_KIND_REGION, __FILE__, __LINE__)

/* Leaves the innermost open visit of that name; NULL: of any. */
IOGLASS_IMPL_INLINE void ioglass_leave(const char *name) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->leave(name, ioglass_impl_size(name));
}
IOGLASS_IMPL_INLINE void ioglass_leave_n(const char *name, size_t size) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->leave(name, name ? size : 0);
}

IOGLASS_IMPL_INLINE void ioglass_enter_site(ioglass_site *site) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f && site) f->enter_site(site);
}
IOGLASS_IMPL_INLINE void ioglass_leave_site(ioglass_site *site) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f && site) f->leave_site(site);
}

/* A span: may overlap others, and end in any order and in any thread. */
IOGLASS_IMPL_INLINE ioglass_span ioglass_start_at(
    const char *name, size_t size, const char *file, uint32_t line) {
    const ioglass_functions *f = ioglass_impl_functions();
    return f ? f->start(name, name ? size : 0, file, line) : 0;
}
IOGLASS_IMPL_INLINE ioglass_span ioglass_impl_start(
    const char *name, const char *file, uint32_t line) {
    const ioglass_functions *f = ioglass_impl_functions();
    return f ? f->start(name, ioglass_impl_size(name), file, line) : 0;
}
IOGLASS_IMPL_INLINE ioglass_span ioglass_start(const char *name) {
    return ioglass_impl_start(name, IOGLASS_IMPL_NULL, 0);
}
#define ioglass_start(name) ioglass_impl_start(name, __FILE__, __LINE__)
IOGLASS_IMPL_INLINE void ioglass_stop(ioglass_span span) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f && span) f->stop(span);
}

/* Numbers and texts of the innermost open region. A unit stands in brackets: "memory [B]". */
IOGLASS_IMPL_INLINE void ioglass_count_n(const char *metric, size_t size, int64_t n) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->count(metric, metric ? size : 0, n);
}
IOGLASS_IMPL_INLINE void ioglass_value_n(const char *metric, size_t size, double x) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->value(metric, metric ? size : 0, x);
}
IOGLASS_IMPL_INLINE void ioglass_tag_n(
    const char *key, size_t key_size, const char *text, size_t text_size) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->tag(key, key ? key_size : 0, text, text ? text_size : 0);
}
IOGLASS_IMPL_INLINE void ioglass_count(const char *metric, int64_t n) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->count(metric, ioglass_impl_size(metric), n);
}
IOGLASS_IMPL_INLINE void ioglass_value(const char *metric, double x) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->value(metric, ioglass_impl_size(metric), x);
}
IOGLASS_IMPL_INLINE void ioglass_tag(const char *key, const char *text) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->tag(key, ioglass_impl_size(key), text, ioglass_impl_size(text));
}

/* The region this thread is in; another thread that attaches to it counts below it. */
IOGLASS_IMPL_INLINE ioglass_context ioglass_here(void) {
    const ioglass_functions *f = ioglass_impl_functions();
    return f ? f->here() : 0;
}
IOGLASS_IMPL_INLINE void ioglass_attach(ioglass_context context) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->attach(context);
}
IOGLASS_IMPL_INLINE void ioglass_detach(void) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->detach();
}

/* The program begins once more. */
IOGLASS_IMPL_INLINE void ioglass_execution(void) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->execution();
}
/* Writes the profile as it is now; 0, or a number as errno has. Collective while MPI runs. */
IOGLASS_IMPL_INLINE int ioglass_flush(void) {
    const ioglass_functions *f = ioglass_impl_functions();
    return f ? f->flush() : 0;
}
/* Makes the state of this process readable from outside now. */
IOGLASS_IMPL_INLINE void ioglass_snapshot(void) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->snapshot();
}
/* Names the profile. */
IOGLASS_IMPL_INLINE void ioglass_profile_n(const char *name, size_t size) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->profile(name, name ? size : 0);
}
IOGLASS_IMPL_INLINE void ioglass_profile(const char *name) {
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) f->profile(name, ioglass_impl_size(name));
}
/* 1 if somebody listens. */
IOGLASS_IMPL_INLINE int ioglass_active(void) {
    const ioglass_functions *f = ioglass_impl_functions();
    return f ? f->active() : 0;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

/* ---- Macros: names that are string literals, looked up once per place ---- */

#if IOGLASS_IMPL_ON

#define IOGLASS_ENTER(name) IOGLASS_IMPL_CALL(ioglass_enter_site, IOGLASS_SITE(name))
#define IOGLASS_ENTER_ITERATION(name) \
    IOGLASS_IMPL_CALL(ioglass_enter_site, IOGLASS_ITERATION_SITE(name))
#define IOGLASS_LEAVE(name) IOGLASS_IMPL_CALL(ioglass_leave_site, IOGLASS_SITE(name))
#define IOGLASS_IMPL_CALL(function, ...)                      \
    do {                                                      \
        static ioglass_site ioglass_impl_place = __VA_ARGS__; \
        function(&ioglass_impl_place);                        \
    } while (0)

#define IOGLASS_REGION(name) IOGLASS_IMPL_GUARD(__COUNTER__, IOGLASS_SITE(name))
#define IOGLASS_ITERATION(name) IOGLASS_IMPL_GUARD(__COUNTER__, IOGLASS_ITERATION_SITE(name))
#define IOGLASS_FUNCTION() \
    IOGLASS_IMPL_GUARD(__COUNTER__, IOGLASS_IMPL_SITE(__func__, IOGLASS_KIND_REGION))
#define IOGLASS_IMPL_GUARD(number, ...) IOGLASS_IMPL_GUARD_OF(number, __VA_ARGS__)

#ifdef __cplusplus

/* A visit that ends with the block. */
class __attribute__((visibility("hidden"))) ioglass_guard {
public:
    explicit ioglass_guard(ioglass_site &place) noexcept : site(place) {
        ioglass_enter_site(&site);
    }
    ~ioglass_guard() { ioglass_leave_site(&site); }
    ioglass_guard(const ioglass_guard &) = delete;
    ioglass_guard &operator=(const ioglass_guard &) = delete;

private:
    ioglass_site &site;
};

#define IOGLASS_IMPL_GUARD_OF(number, ...)                        \
    static ioglass_site ioglass_impl_site_##number = __VA_ARGS__; \
    const ioglass_guard ioglass_impl_guard_##number { ioglass_impl_site_##number }

#else

/* A visit that ends with the block. A `goto` may have jumped over its begin into the block, so its
 * end believes only what the begin has written. */
typedef struct ioglass_guard {
    ioglass_site *site;
    uintptr_t check;
} ioglass_guard;

#define IOGLASS_IMPL_CHECK ((uintptr_t)0x69c61a55d3b7f0a5)

static inline ioglass_guard ioglass_impl_guard_begin(ioglass_site *site) {
    ioglass_guard guard = {NULL, 0};
    const ioglass_functions *f = ioglass_impl_functions();
    if (f) {
        f->enter_site(site);
        guard.site = site;
        guard.check = (uintptr_t)site ^ IOGLASS_IMPL_CHECK;
    }
    return guard;
}
static inline void ioglass_impl_guard_end(const ioglass_guard *guard) {
    if (guard->check == ((uintptr_t)guard->site ^ IOGLASS_IMPL_CHECK))
        ioglass_leave_site(guard->site);
}

#define IOGLASS_IMPL_GUARD_OF(number, ...)                              \
    static ioglass_site ioglass_impl_site_##number = __VA_ARGS__;       \
    const ioglass_guard ioglass_impl_guard_##number                     \
        __attribute__((cleanup(ioglass_impl_guard_end), unused)) =      \
            ioglass_impl_guard_begin(&ioglass_impl_site_##number)

#endif

#else

#define IOGLASS_IMPL_NOTHING(name) ((void)sizeof("" name ""))
#define IOGLASS_ENTER(name) IOGLASS_IMPL_NOTHING(name)
#define IOGLASS_ENTER_ITERATION(name) IOGLASS_IMPL_NOTHING(name)
#define IOGLASS_LEAVE(name) IOGLASS_IMPL_NOTHING(name)
#define IOGLASS_REGION(name) IOGLASS_IMPL_NOTHING(name)
#define IOGLASS_ITERATION(name) IOGLASS_IMPL_NOTHING(name)
#define IOGLASS_FUNCTION() ((void)0)

#endif

#endif
