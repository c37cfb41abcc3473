// Writes 10,000 single characters to FILE and reads 5,000 from itself, then kills itself with most of
// the last buffers unused.
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    FILE *out = fopen(argv[1], "w"), *in = fopen(argv[0], "r");
    if (!out || !in) return 1;
    for (int i = 0; i < 10000; i++)
        if (putc('x', out) == EOF || (i % 2 && getc(in) == EOF)) return 1;
    raise(SIGKILL);
}
