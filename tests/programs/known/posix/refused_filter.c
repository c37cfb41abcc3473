// Asking what filters of system calls there are, or failing to install one, ends no recording.
// expect: POSIX asked: OPENS 1, MODE 0644; w 0 5
// expect: POSIX refused: OPENS 1, MODE 0644; w 0 7
#include "../common.h"
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char **argv) {
    go(argv);
    unsigned action = SECCOMP_RET_ALLOW;
    syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action);
    is(5, write(create("asked"), buf, 5));
    is(-1, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL));
    is(7, write(create("refused"), buf, 7));
}
