// Becomes another user, and only then writes: 5 times to `after`, and its child 6 times to `child`.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

static void repeat(const char *name, int count) {
    int fd = open(name, O_WRONLY | O_CREAT, 0644);
    for (int i = 0; i < count; i++)
        if (write(fd, "8 bytes\n", 8) != 8) _exit(1);
}

int main(void) {
    const uid_t nobody = 65534;
    if (setresgid(nobody, nobody, nobody) || setresuid(nobody, nobody, nobody)) return 3;
    repeat("after", 5);
    pid_t pid = fork();
    if (pid == 0) {
        repeat("child", 6);
        _exit(0);
    }
    int status;
    return waitpid(pid, &status, 0) != pid || status != 0;
}
