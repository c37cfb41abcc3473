// Makes many files, looks at them, reads them and removes them; each phase is begun by all together.
#include "common.h"

enum { FILES = 1500 };

static void many_files(int size) {
    char name[64];
    for (int phase = 0; phase < 4; phase++) {
        ok(MPI_Barrier(MPI_COMM_WORLD));
        for (int i = 0; i < FILES; i++) {
            struct stat found;
            snprintf(name, sizeof name, "%d/file.%d", rank, i);
            if (phase == 1)
                all(stat(name, &found), 0);
            if (phase == 3)
                all(unlink(name), 0);
            if (phase == 1 || phase == 3)
                continue;
            int fd = open_file(name, phase == 0 ? O_CREAT | O_WRONLY : O_RDONLY);
            if (size > 0)
                all(phase == 0 ? write(fd, buf, size) : read(fd, buf, size), size);
            close(fd);
        }
    }
}

static void make_folder(void) {
    char name[64];
    snprintf(name, sizeof name, "%d", rank);
    all(mkdir(name, 0755), 0);
}
