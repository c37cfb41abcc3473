// One of several processes that a launcher starts: without MPI, by the launcher's variables.
//
// ranks [HOW RANK]: in the current folder. Rank r writes r + 1 times 1,000 bytes to `shared` and
// 10 (r + 1) bytes to `own.R`. Then, if it is RANK, `kill` kills its parent and itself, `fail` ends
// with status 7 and `late` waits half a second.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank(void) {
    const char *names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
    for (int i = 0; i < 4; i++)
        if (getenv(names[i])) return atoi(getenv(names[i]));
    _exit(2);
}

static void put(const char *path, int flags, int count, int size, int from) {
    char bytes[1000] = {0};
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0644);
    if (fd < 0) _exit(1);
    for (int i = 0; i < count; i++)
        if (pwrite(fd, bytes, size, from + i * size) != size) _exit(1);
    close(fd);
}

int main(int argc, char **argv) {
    int own = rank();
    char name[32];
    snprintf(name, sizeof name, "own.%d", own);
    put("shared", 0, own + 1, 1000, own * 100000);
    put(name, O_TRUNC, 1, 10 * (own + 1), 0);
    if (argc < 3 || own != atoi(argv[2])) return 0;
    if (!strcmp(argv[1], "late")) usleep(500000);
    if (!strcmp(argv[1], "fail")) return 7;
    if (!strcmp(argv[1], "kill")) {
        kill(getppid(), SIGKILL);
        kill(getpid(), SIGKILL);
    }
    return 0;
}
