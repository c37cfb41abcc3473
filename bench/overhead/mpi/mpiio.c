// Calls of MPI-IO.
#include "rows.h"

#include <unistd.h>

enum { SPAN = 1 << 20 };

static char buffer[64], path[4096];
static MPI_File file, viewed, shared;

static MPI_Offset place(long i) { return i * 64 % SPAN; }

// Each batch begins where the last one did, so that files do not grow.
static int from_start(MPI_File in, long i) { return i ? MPI_SUCCESS : MPI_File_seek(in, 0, MPI_SEEK_SET); }

#define EACH(name, call)                                                                                \
    static void name(long n) {                                                                          \
        for (long i = 0; i < n; i++)                                                                    \
            ok(call, #name);                                                                            \
    }

#define AT(count) place(i), buffer, count, MPI_BYTE, MPI_STATUS_IGNORE
#define HERE buffer, 64, MPI_BYTE, MPI_STATUS_IGNORE

EACH(write_at_64, MPI_File_write_at(file, AT(64)))
EACH(write_at_0, MPI_File_write_at(file, AT(0)))
EACH(read_at_64, MPI_File_read_at(file, AT(64)))
EACH(write_at_all_64, MPI_File_write_at_all(file, AT(64)))
EACH(read_at_all_64, MPI_File_read_at_all(file, AT(64)))
EACH(write_64, from_start(file, i) || MPI_File_write(file, HERE))
EACH(write_all_64, from_start(file, i) || MPI_File_write_all(file, HERE))
EACH(write_viewed_64, from_start(viewed, i) || MPI_File_write(viewed, HERE))
EACH(write_all_viewed_64, from_start(viewed, i) || MPI_File_write_all(viewed, HERE))
EACH(write_shared_64, MPI_File_write_shared(shared, HERE))
EACH(set_view, MPI_File_set_view(shared, i % 2 * 64, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL))
EACH(sync_file, MPI_File_sync(file))

static void iwrite_at_64(long n) {
    for (long i = 0; i < n; i++) {
        MPI_Request request;
        ok(MPI_File_iwrite_at(file, place(i), buffer, 64, MPI_BYTE, &request), "iwrite_at");
        ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait");
    }
}

static void open_file(long n) {
    for (long i = 0; i < n; i++) {
        MPI_File again;
        ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &again), path);
        ok(MPI_File_close(&again), path);
    }
}

static const struct row rows[] = {
    {"MPI_File_write_at 64 B", write_at_64, BATCH},
    {"MPI_File_write_at 0 B", write_at_0, BATCH},
    {"MPI_File_read_at 64 B", read_at_64, BATCH},
    {"MPI_File_write_at_all 64 B", write_at_all_64, BATCH},
    {"MPI_File_read_at_all 64 B", read_at_all_64, BATCH},
    {"MPI_File_write 64 B", write_64, BATCH},
    {"MPI_File_write_all 64 B", write_all_64, BATCH},
    {"MPI_File_write 64 B, view", write_viewed_64, BATCH},
    {"MPI_File_write_all 64 B, view", write_all_viewed_64, BATCH},
    {"MPI_File_write_shared 64 B", write_shared_64, BATCH},
    {"MPI_File_iwrite_at+wait 64 B", iwrite_at_64, BATCH},
    {"MPI_File_set_view", set_view, BATCH},
    {"MPI_File_sync", sync_file, BATCH},
    {"MPI_File_open+close", open_file, FEW},
};

static void open_at(const char *folder, const char *name, MPI_File *opened) {
    snprintf(path, sizeof path, "%s/%s-%d", folder, name, getpid());
    ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, opened), path);
    ok(MPI_File_set_size(*opened, SPAN + 64), path);
}

// 64 of every 128 bytes.
static void view_half(MPI_File of) {
    MPI_Datatype piece, half;
    ok(MPI_Type_contiguous(64, MPI_BYTE, &piece), "contiguous");
    ok(MPI_Type_create_resized(piece, 0, 128, &half), "resized");
    ok(MPI_Type_commit(&half), "commit");
    ok(MPI_File_set_view(of, 0, MPI_BYTE, half, "native", MPI_INFO_NULL), "set_view");
}

static void prepare(const char *folder) {
    open_at(folder, "viewed", &viewed);
    view_half(viewed);
    open_at(folder, "shared", &shared);
    open_at(folder, "data", &file);
}

const struct part mpiio = PART(prepare, rows);
