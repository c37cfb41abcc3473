// Opens its log for every line.
#include "common.h"

static void say(long step) {
    FILE *log = fopen("run.log", "a");
    need(log != NULL, "run.log");
    fprintf(log, "step %ld done\n", step);
    need(fclose(log) == 0, "run.log");
}

int main(void) {
    for (long step = 0, end = scaled(100000); step < end; step++)
        say(step);
    return 0;
}
