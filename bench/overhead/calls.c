// One thread, one call over and over, in batches.

// So that `getc_unlocked` and `putc_unlocked` are calls.
#define __NO_INLINE__
#include "driver.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BATCH = 256, COUNTED_BATCH = 1024, SPAN = 1 << 20, MANY = BATCH };

static char buffer[4096];
static int fd, untracked, number;
static FILE *stream, *numbers;
static DIR *directory;
static char path[4096], missing[4096 + 32], many[MANY][4096], links[COUNTED_BATCH][4096 + 32];

// Each call has one function that makes it `n` times.
#define CALL(name, body)                                                                           \
    static void name(long n) {                                                                     \
        for (long i = 0; i < n; i++)                                                               \
            body;                                                                                  \
    }
#define DONE(call, size) check((call) == (size), #call)

CALL(pwrite_64, DONE(pwrite(fd, buffer, 64, i * 64 % SPAN), 64))
CALL(pread_64, DONE(pread(fd, buffer, 64, i * 64 % SPAN), 64))
CALL(write_64, DONE(write(fd, buffer, 64), 64))
CALL(read_64, DONE(read(fd, buffer, 64), 64))
CALL(pwrite_4k, DONE(pwrite(fd, buffer, 4096, i * 4096 % SPAN), 4096))
CALL(pread_4k, DONE(pread(fd, buffer, 4096, i * 4096 % SPAN), 4096))
CALL(write_4k, DONE(write(fd, buffer, 4096), 4096))
CALL(read_4k, DONE(read(fd, buffer, 4096), 4096))
CALL(lseek_set, DONE(lseek(fd, i * 64 % SPAN, SEEK_SET), i * 64 % SPAN))
CALL(untracked_pwrite, DONE(pwrite(untracked, buffer, 64, i * 64 % SPAN), 64))
CALL(fwrite_64, DONE(fwrite(buffer, 1, 64, stream), 64))
CALL(fread_64, DONE(fread(buffer, 1, 64, stream), 64))
CALL(fprintf_8, DONE(fprintf(stream, "%07d\n", (int)i), 8))
CALL(fscanf_8, check(fscanf(numbers, "%d", &number) == 1, "fscanf"))
CALL(getc_1, check(getc(stream) != EOF, "getc"))
CALL(putc_1, check(putc('x', stream) != EOF, "putc"))
CALL(fgetc_1, check(fgetc(stream) != EOF, "fgetc"))
CALL(fputc_1, check(fputc('x', stream) != EOF, "fputc"))
CALL(getc_unlocked_1, check(getc_unlocked(stream) != EOF, "getc_unlocked"))
CALL(putc_unlocked_1, check(putc_unlocked('x', stream) != EOF, "putc_unlocked"))
CALL(fgetc_unlocked_1, check(fgetc_unlocked(stream) != EOF, "fgetc_unlocked"))
CALL(fputc_unlocked_1, check(fputc_unlocked('x', stream) != EOF, "fputc_unlocked"))

static void pwrite_varied(long n) {
    uint64_t state = 0x106 + n;
    for (long i = 0; i < n; i++) {
        uint64_t random = next_random(&state);
        long size = 64 + random % 64 * 32;
        DONE(pwrite(fd, buffer, size, (random >> 8) % SPAN), size);
    }
}

static void fstat_fd(long n) {
    struct stat status;
    for (long i = 0; i < n; i++)
        DONE(fstat(fd, &status), 0);
}

static void stat_path(long n) {
    struct stat status;
    for (long i = 0; i < n; i++)
        DONE(stat(path, &status), 0);
}

static void failed_stat(long n) {
    struct stat status;
    for (long i = 0; i < n; i++)
        DONE(stat(missing, &status), -1);
}

CALL(access_path, DONE(access(path, R_OK), 0))
CALL(unlink_path, DONE(unlink(links[i]), 0))
CALL(readdir_1, check(readdir(directory) != NULL, "readdir"))

static void make_links(long n) {
    for (long i = 0; i < n; i++)
        DONE(link(path, links[i]), 0);
}

static void open_close(const char *name) {
    int opened = open(name, O_RDWR);
    check(opened >= 0, name);
    close(opened);
}

CALL(open_close_1, open_close(path))
CALL(open_close_many, open_close(many[i % MANY]))

static void fopen_fclose(long n) {
    for (long i = 0; i < n; i++) {
        FILE *opened = fopen(path, "r+");
        check(opened != NULL, path);
        fclose(opened);
    }
}

static const struct call {
    const char *name;
    void (*make)(long n);
} calls[] = {
    {"pwrite 64 B", pwrite_64},
    {"pread 64 B", pread_64},
    {"write 64 B", write_64},
    {"read 64 B", read_64},
    {"pwrite 4 KiB", pwrite_4k},
    {"pread 4 KiB", pread_4k},
    {"write 4 KiB", write_4k},
    {"read 4 KiB", read_4k},
    {"pwrite varied", pwrite_varied},
    {"lseek", lseek_set},
    {"fstat", fstat_fd},
    {"stat", stat_path},
    {"open+close", open_close_1},
    {"open+close, 256 files", open_close_many},
    {"untracked pwrite", untracked_pwrite},
    {"fwrite 64 B", fwrite_64},
    {"fread 64 B", fread_64},
    {"fprintf", fprintf_8},
    {"fscanf", fscanf_8},
    {"getc", getc_1},
    {"putc", putc_1},
    {"fgetc", fgetc_1},
    {"fputc", fputc_1},
    {"getc_unlocked", getc_unlocked_1},
    {"putc_unlocked", putc_unlocked_1},
    {"fgetc_unlocked", fgetc_unlocked_1},
    {"fputc_unlocked", fputc_unlocked_1},
    {"fopen+fclose", fopen_fclose},
    {"failed stat", failed_stat},
    {"access", access_path},
    {"unlink", unlink_path},
    {"readdir", readdir_1},
};
enum { CALLS = sizeof calls / sizeof *calls };

// A file long enough for every read, opened in all the ways that are needed.
static void prepare(void) {
    fd = open_in(tracked_dir, "data");
    for (long at = 0; at < COUNTED_BATCH * 4096l; at += sizeof buffer)
        DONE(pwrite(fd, buffer, sizeof buffer, at), sizeof buffer);
    untracked = open_in(untracked_dir, "data");
    snprintf(path, sizeof path, "%s/data", tracked_dir);
    stream = fopen(path, "r+");
    check(stream != NULL, path);
    for (int i = 0; i < MANY; i++) {
        char name[32];
        snprintf(name, sizeof name, "one-of-%d", i);
        close(open_in(tracked_dir, name));
        snprintf(many[i], sizeof many[i], "%s/%s", tracked_dir, name);
    }
    snprintf(missing, sizeof missing, "%s/missing", tracked_dir);
    for (int i = 0; i < COUNTED_BATCH; i++)
        snprintf(links[i], sizeof links[i], "%s/link-%d-%d", tracked_dir, getpid(), i);
    // Enough numbers and entries for every batch. Other drivers have theirs beside them.
    char folder[4096 + 32], name[4096 + 64];
    snprintf(name, sizeof name, "%s/numbers-%d", tracked_dir, getpid());
    numbers = fopen(name, "w+");
    check(numbers != NULL, name);
    for (int i = 0; i < COUNTED_BATCH; i++)
        fprintf(numbers, "%07d\n", i);
    snprintf(folder, sizeof folder, "%s/entries-%d", tracked_dir, getpid());
    check(mkdir(folder, 0755) == 0, folder);
    directory = opendir(folder);
    check(directory != NULL, folder);
    for (int i = 0; i < COUNTED_BATCH; i++) {
        snprintf(name, sizeof name, "%s/%d", folder, i);
        check(link(path, name) == 0, name);
    }
}

// Not timed: the next batch starts where the last one did.
static void back_to_start(const struct call *call, long n) {
    lseek(fd, 0, SEEK_SET);
    rewind(stream);
    // As after `fopen`: the C library does not know the offset of the descriptor.
    rewind(numbers);
    fflush(numbers);
    rewinddir(directory);
    if (call->make == unlink_path)
        make_links(n);
}

// The first batch brings back into the caches what other processes have driven out since the last
// time; the second counts.
static double batch(int call) {
    back_to_start(&calls[call], BATCH);
    calls[call].make(BATCH);
    back_to_start(&calls[call], BATCH);
    return (double)timed(calls[call].make, BATCH) / BATCH;
}

void calls_mode(void) {
    prepare();
    const char *names[CALLS];
    for (int c = 0; c < CALLS; c++)
        names[c] = calls[c].name;
    serve(names, CALLS, batch);
}

// For an instruction counter: makes the calls and measures nothing itself.
void count_mode(const char *name, long count) {
    prepare();
    for (int c = 0; c < CALLS; c++) {
        if (strcmp(calls[c].name, name))
            continue;
        for (long left = count; left > 0; left -= COUNTED_BATCH) {
            long n = left < COUNTED_BATCH ? left : COUNTED_BATCH;
            back_to_start(&calls[c], n);
            timed(calls[c].make, n);
        }
        return;
    }
    fprintf(stderr, "driver: no call %s\n", name);
    exit(2);
}
