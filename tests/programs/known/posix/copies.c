// The kernel moves the data: a read of one file and a write of the other.
// given: source 10000
// expect: POSIX source: OPENS 1, SEEKS 1; r 0 1000, r 5000 100, r 1000 2000, r 7000 70, r 3000 300
// expect: POSIX sent: OPENS 1, MODE 0644; w 0 1000, w 1000 100
// expect: POSIX ranged: OPENS 1, MODE 0644; w 0 2000, w 4000 70
// expect: POSIX spliced: OPENS 1, MODE 0644; w 0 300
#include "../common.h"
#include <sys/sendfile.h>

int main(int argc, char **argv) {
    go(argv);
    int source = ok(open("source", O_RDONLY));
    int sent = create("sent");
    is(1000, sendfile(sent, source, NULL, 1000));
    off_t from = 5000;
    is(100, sendfile64(sent, source, &from, 100));
    is(5100, from);

    int ranged = create("ranged");
    is(2000, copy_file_range(source, NULL, ranged, NULL, 2000, 0));
    off64_t in = 7000, out = 4000;
    is(70, copy_file_range(source, &in, ranged, &out, 70, 0));
    is(3000, lseek(source, 0, SEEK_CUR));

    int spliced = create("spliced"), pipe_ends[2];
    is(0, pipe(pipe_ends));
    is(300, splice(source, NULL, pipe_ends[1], NULL, 300, 0));
    is(300, splice(pipe_ends[0], NULL, spliced, NULL, 300, 0));
}
