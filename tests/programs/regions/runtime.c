/* A runtime that only writes down how it is called: one line per call in the file that
 * IOGLASS_TEST_CALLS names. A line is the number of the thread, the function, its arguments, and
 * `-> result`. Places are file:line, without the folder; `-` if there is none. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../crates/region/include/ioglass.h"

static _Thread_local int thread = -1;
static atomic_int threads;
static atomic_ullong spans;

/* A text in quotes; NULL is null. */
static const char *quoted(char *out, const char *text, size_t size) {
    char *at = out;
    if (text == NULL) return size == 0 ? "null" : "null with a size";
    *at++ = '"';
    for (size_t i = 0; i < size && at < out + 8000; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 32 || c == '"' || c == '\\' || c == 127)
            at += sprintf(at, "\\x%02x", c);
        else
            *at++ = (char)c;
    }
    strcpy(at, "\"");
    return out;
}

static const char *place(char *out, const char *file, uint32_t line) {
    if (file == NULL) return line == 0 ? "-" : "a line without a file";
    const char *slash = strrchr(file, '/');
    sprintf(out, "%s:%u", slash == NULL ? file : slash + 1, line);
    return out;
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char line[20000];
    const char *path = getenv("IOGLASS_TEST_CALLS");
    if (path == NULL) return;
    if (thread < 0) thread = atomic_fetch_add(&threads, 1);
    int size = sprintf(line, "%d ", thread);
    va_list list;
    va_start(list, format);
    size += vsnprintf(line + size, sizeof line - (size_t)size - 1, format, list);
    va_end(list);
    line[size++] = '\n';
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (write(file, line, (size_t)size) != size) abort();
    close(file);
}

static const char *kind(uint32_t number) {
    return number == 0 ? "region" : number == 1 ? "iteration" : "wrong kind";
}

static void enter_site(ioglass_site *site) {
    char a[8192], b[8192];
    site->id = 7;
    say("enter_site %s %s %s", quoted(a, site->name, site->size), kind(site->kind),
        place(b, site->file, site->line));
}
static void leave_site(ioglass_site *site) {
    char a[8192];
    say("leave_site %s", quoted(a, site->name, site->size));
}
static void enter(const char *name, size_t size, uint32_t number, const char *file, uint32_t line) {
    char a[8192], b[8192];
    say("enter %s %s %s", quoted(a, name, size), kind(number), place(b, file, line));
}
static void leave(const char *name, size_t size) {
    char a[8192];
    say("leave %s", quoted(a, name, size));
}
static uint64_t start(const char *name, size_t size, const char *file, uint32_t line) {
    char a[8192], b[8192];
    uint64_t span = atomic_fetch_add(&spans, 1) + 1;
    say("start %s %s -> %llu", quoted(a, name, size), place(b, file, line), (unsigned long long)span);
    return span;
}
static void stop(uint64_t span) { say("stop %llu", (unsigned long long)span); }
static void count(const char *metric, size_t size, int64_t n) {
    char a[8192];
    say("count %s %lld", quoted(a, metric, size), (long long)n);
}
static void value(const char *metric, size_t size, double x) {
    char a[8192];
    say("value %s %.17g", quoted(a, metric, size), x);
}
static void tag(const char *key, size_t key_size, const char *text, size_t text_size) {
    char a[8192], b[8192];
    say("tag %s %s", quoted(a, key, key_size), quoted(b, text, text_size));
}
static uint64_t here(void) {
    say("here -> 18446744073709551615");
    return UINT64_MAX;
}
static void attach(uint64_t context) { say("attach %llu", (unsigned long long)context); }
static void detach(void) { say("detach"); }
static void execution(void) { say("execution"); }
static int flush(void) {
    const char *result = getenv("IOGLASS_TEST_FLUSH");
    say("flush -> %d", result == NULL ? 0 : atoi(result));
    return result == NULL ? 0 : atoi(result);
}
static void snapshot(void) { say("snapshot"); }
static void profile(const char *name, size_t size) {
    char a[8192];
    say("profile %s", quoted(a, name, size));
}
static int active(void) {
    say("active -> 1");
    return 1;
}

static const ioglass_functions table = {
    sizeof table, 1,    enter_site, leave_site, enter,  leave,    start,   stop,    count,
    value,        tag,  here,       attach,     detach, execution, flush,  snapshot, profile,
    active,
};

const void *ioglass_regions(unsigned version);
__attribute__((visibility("default"))) const void *ioglass_regions(unsigned version) {
    say("regions %u", version);
    return version == 1 && getenv("IOGLASS_TEST_DEAF") == NULL ? &table : NULL;
}
