// Never begins MPI as a whole, only a session; every rank writes 30 bytes to `data`. MPI before 4 has none.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group all;
    int rank;
    if (chdir(argv[1]) || MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session))
        return 1;
    if (MPI_Group_from_session_pset(session, "mpi://WORLD", &all) || MPI_Group_rank(all, &rank))
        return 2;
    int fd = open("data", O_CREAT | O_WRONLY, 0644);
    if (pwrite(fd, "thirty bytes that are written", 30, 30 * rank) != 30 || close(fd))
        return 3;
    return MPI_Group_free(&all) || MPI_Session_finalize(&session);
#else
    return 77;
#endif
}
