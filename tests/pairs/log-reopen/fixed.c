// Opens its log once.
#include "common.h"

int main(void) {
    FILE *log = fopen("run.log", "a");
    need(log != NULL, "run.log");
    for (long step = 0, end = scaled(100000); step < end; step++)
        fprintf(log, "step %ld done\n", step);
    need(fclose(log) == 0, "run.log");
    return 0;
}
