// Formatted input from a pipe, to which bytes come in pieces.
// expect: STDIO <STDIN>: OPENS 1, READS 7, BYTES_READ 20019, MAX_BYTE_READ 20019
#include "../common.h"
#include <sys/wait.h>

static int ends[2];

static void send(const char *text, size_t size) {
    is(size, write(ends[1], text, size));
    // The reader has it before more comes.
    usleep(5000);
}

int main(int argc, char **argv) {
    go(argv);
    is(0, pipe(ends));
    pid_t child = ok(fork());
    if (child == 0) {
        is(0, close(ends[0]));
        send("42 4", 4);
        send("3 ", 2);
        send("4", 1);
        send("4", 1);
        send("4 x5 ", 5);
        memset(buf, ' ', 20000);
        for (int i = 0; i < 20; i++)
            send(buf + 1000 * i, 1000);
        send("12 end\nline\n", 12);
        _exit(0);
    }
    is(0, close(ends[1]));
    is(0, dup2(ends[0], 0));
    int number, status;
    is(1, scanf("%d", &number));
    is(42, number);
    is(1, scanf("%d", &number));
    is(43, number);
    is(1, scanf("%d", &number));
    is(444, number);
    is(0, scanf("%d", &number));
    is(0, scanf("y"));
    is('x', getchar());
    is(1, scanf("%d", &number));
    is(5, number);
    is(1, scanf("%d", &number));
    is(12, number);
    is(1, scanf("%s ", buf));
    is(0, strcmp("end", buf));
    is(-1, ftell(stdin));
    is(child, waitpid(child, &status, 0));
    is(0, status);
}
