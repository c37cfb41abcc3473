// One of several processes that a launcher starts: without MPI, by the launcher's variables.
//
// ranks [HOW RANK]: in the current directory. Rank r writes r + 1 times 1,000 bytes to `shared` and
// 10 (r + 1) bytes to `own.R`. Then, if it is RANK, `kill` kills its parent and itself, `fail` ends
// with status 7 and `late` waits half a second. `meet RANKS` lets all of these wait until each has
// written its own file, so that all run at one moment.
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

static void meet(int ranks) {
    for (int other = 0, tries = 0; other < ranks && tries < 6000;) {
        char name[32];
        snprintf(name, sizeof name, "own.%d", other);
        if (access(name, F_OK) == 0) {
            other++;
        } else {
            usleep(10000);
            tries++;
        }
    }
}

int main(int argc, char **argv) {
    int own = rank();
    char name[32];
    snprintf(name, sizeof name, "own.%d", own);
    put("shared", 0, own + 1, 1000, own * 100000);
    put(name, O_TRUNC, 1, 10 * (own + 1), 0);
    // The mpiexec of MPICH fails now and then if its ranks end before it has passed on its input.
    if (getenv("PMI_RANK")) usleep(200000);
    if (argc == 3 && !strcmp(argv[1], "meet")) {
        meet(atoi(argv[2]));
        return 0;
    }
    if (argc < 3 || own != atoi(argv[2])) return 0;
    if (!strcmp(argv[1], "late")) usleep(500000);
    if (!strcmp(argv[1], "fail")) return 7;
    if (!strcmp(argv[1], "kill")) {
        kill(getppid(), SIGKILL);
        kill(getpid(), SIGKILL);
    }
    return 0;
}
