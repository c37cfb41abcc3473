// Two ranks start two more, by either function; all write 10 bytes: to `first`, and to `second`.
#include "../common.h"

static void put(const char *name) {
    MPI_File file = create(name);
    ok(MPI_File_write_at(file, 10 * rank, buf, 10, MPI_BYTE, none));
    ok(MPI_File_close(&file));
}

int main(int argc, char **argv) {
    begin(argc, argv);
    MPI_Comm other;
    ok(MPI_Comm_get_parent(&other));
    if (other == MPI_COMM_NULL) {
        char *words[] = {".", NULL}, **both[] = {words, words};
        char *commands[] = {argv[0], argv[0]};
        int one[] = {1, 1};
        MPI_Info none_of_both[] = {MPI_INFO_NULL, MPI_INFO_NULL};
        if (strcmp(argv[2], "multiple"))
            ok(MPI_Comm_spawn(argv[0], words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other,
                              MPI_ERRCODES_IGNORE));
        else
            ok(MPI_Comm_spawn_multiple(2, commands, both, one, none_of_both, 0, MPI_COMM_WORLD,
                                       &other, MPI_ERRCODES_IGNORE));
        put("first");
    } else
        put("second");
    ok(MPI_Barrier(other));
    ok(MPI_Comm_disconnect(&other));
    ok(MPI_Finalize());
}
