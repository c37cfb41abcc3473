// seccomp INSTALLER END: after some I/O it installs a filter that kills on everything but read, write, close
// and the end of the process, and goes on with those on files that were used before and files that were not.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(SYS_read),
    ALLOW(SYS_write),
    ALLOW(SYS_close),
    ALLOW(SYS_exit_group),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};
static struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

static int install(const char *how) {
    if (!strcmp(how, "strict")) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (!strcmp(how, "strict-syscall")) return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    // No filter, but no look at the processor's clock either.
    if (!strcmp(how, "no-clock")) return prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) return -1;
    if (!strcmp(how, "prctl")) return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int strict = !strncmp(argv[1], "strict", 6);
    int used = open("used", O_WRONLY | O_CREAT, 0644);
    int unused = open("unused", O_WRONLY | O_CREAT, 0644);
    int reader = open("noise", O_RDONLY);
    if (write(used, "used", 4) != 4) return 1;
    // Streams that have a buffer.
    FILE *numbers = fopen("numbers", "w+"), *both = fopen("both", "a+");
    if (!numbers || !both || fputs("x12 34", numbers) == EOF) return 1;
    rewind(numbers);
    if (fgetc(numbers) != 'x' || fgetc(both) != EOF || fflush(numbers)) return 1;
    if (install(argv[1])) return 1;
    int number;
    if (fscanf(numbers, "%d", &number) != 1 || number != 12) return 3;
    if (fscanf(numbers, "%d", &number) != 1 || number != 34 || !feof(numbers)) return 3;
    if (fprintf(both, "%d\n", number) != 3) return 3;
    static char buffer[512];
    for (int i = 0; i < 5000; i++) {
        if (write(used, "used", 4) != 4) return 3;
        if (write(unused, buffer, i % 500) != i % 500) return 3;
        if (read(reader, buffer, 50) != 50) return 3;
    }
    // Nobody has looked at standard input before.
    if (read(0, buffer, 10) != 10 || write(1, buffer, 10) != 10) return 3;
    if (!strict && (close(used) || close(unused))) return 4;
    if (write(1, "survived\n", 9) != 9) return 3;
    if (strict) syscall(SYS_exit, 0);
    if (!strcmp(argv[2], "_exit")) _exit(0);
    if (!strcmp(argv[2], "exit_group")) syscall(SYS_exit_group, 0);
    return 0;
}
