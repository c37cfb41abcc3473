// What the parts of the driver share.
#ifndef DRIVER_H
#define DRIVER_H

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>

// Where files are made: one directory that a recorder looks at, one that it leaves alone.
extern const char *tracked_dir, *untracked_dir;

// Ends the program if `ok` does not hold.
void check(int ok, const char *what);
// Opens `name` in `dir` for reading and writing, made if it is not there.
int open_in(const char *dir, const char *name);
// The path of file number `i` of a directory of many, valid until the next call of this thread.
const char *numbered(long i);
// Nanoseconds this thread or process has spent on a CPU.
int64_t cpu_ns(clockid_t clock);
// The same numbers in every run.
uint64_t next_random(uint64_t *state);
// Makes a call `n` times and says how long it took.
int64_t timed(void (*make)(long), long n);
// Names the rows that can be measured, a line each and an empty one, then measures a batch of a row
// for each byte on standard input, which is the row's number, and answers with a double.
void serve(const char *const *names, int count, double (*batch)(int row));
// Sorts.
void sort(double *values, long count);

// The modes. Those that do not serve print lines of a name and a figure.
void calls_mode(void);
void count_mode(const char *call, long count);
void threads_mode(long threads);
void open_files_mode(long files);
void make_files_mode(long files);
void first_open_mode(long files);
void memory_mode(long files);
void one_file_mode(void);
void stream_mode(const char *kind, long count);
int cost_mode(char **words);

#endif
