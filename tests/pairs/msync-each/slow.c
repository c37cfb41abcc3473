// Keeps its state in a mapped file, and waits for the disk after every change.
#include "state.h"

int main(void) {
    char *state = map_state();
    for (long i = 0, end = scaled(2000); i < end; i++) {
        change(state, i);
        need(msync(state, SIZE, MS_SYNC) == 0, "msync");
    }
    return 0;
}
