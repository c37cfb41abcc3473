// Writes 3 times to `before`, goes into the prison DIRECTORY with chroot, where nothing but its
// open descriptors leads out, and writes 4 times to `before` and 5 times to `/inside`; its child 6
// times to `/child`.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void repeat(int fd, int count) {
    for (int i = 0; i < count; i++)
        if (write(fd, "8 bytes\n", 8) != 8) _exit(1);
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    int before = open("before", O_WRONLY | O_CREAT, 0644);
    repeat(before, 3);
    if (chroot(argv[1]) || chdir("/")) return 3;
    repeat(before, 4);
    repeat(open("/inside", O_WRONLY | O_CREAT, 0644), 5);
    pid_t pid = fork();
    if (pid == 0) {
        repeat(open("/child", O_WRONLY | O_CREAT, 0644), 6);
        _exit(0);
    }
    int status;
    return waitpid(pid, &status, 0) != pid || status != 0;
}
