// The four most common sizes and strides; among equals the larger comes first.
// expect: POSIX ties: OPENS 1, MODE 0644; w 0 10, w 0 20, w 0 30, w 0 40, w 0 50, w 0 60, w 0 10
// expect: POSIX late: OPENS 1, MODE 0644; w 0 1, w 0 2, w 0 3, w 0 4, w 0 5 x4 +0, w 0 6 x3 +0,
//     w 0 7 x3 +0, w 0 8 x3 +0, w 0 1
// expect: POSIX strides: OPENS 1, MODE 0644; w 10 10, w 30 10, w 50 10, w 160 10, w 270 10, w 380 10,
//     w 391 10, w 403 10, w 416 10, w 430 10
// expect: POSIX mixed: OPENS 1, MODE 0644; w 0 8 x9 +100, r 0 8 x5 +50, r 0 16 x20 +64
// expect: POSIX many: OPENS 1, MODE 0644; w 0 1, w 0 2, w 0 3, w 0 4, w 0 5, w 0 6, w 0 7, w 0 8, w 0 9, w 0 10,
//     w 0 11, w 0 12, w 0 13, w 0 14, w 0 15, w 0 16, w 0 17, w 0 18, w 0 19, w 0 20, w 0 21, w 0 22,
//     w 0 23, w 0 24, w 0 25, w 0 26, w 0 27, w 0 28, w 0 29, w 0 30, w 0 31, w 0 32, w 0 33 x9 +0, w 0 2
#include "../common.h"

int main(int argc, char **argv) {
    go(argv);
    int fd = create("ties");
    for (int i = 1; i <= 6; i++)
        is(i * 10, pwrite(fd, buf, i * 10, 0));
    is(10, pwrite(fd, buf, 10, 0));

    fd = create("late");
    static const int sizes[] = {1, 2, 3, 4, 5, 5, 5, 5, 6, 6, 6, 7, 7, 7, 8, 8, 8, 1};
    for (int i = 0; i < 18; i++)
        is(sizes[i], pwrite(fd, buf, sizes[i], 0));

    fd = create("strides");
    static const int offsets[] = {10, 30, 50, 160, 270, 380, 391, 403, 416, 430};
    for (int i = 0; i < 10; i++)
        is(10, pwrite(fd, buf, 10, offsets[i]));

    fd = create("mixed");
    for (int i = 0; i < 9; i++)
        is(8, pwrite(fd, buf, 8, i * 100));
    is(0, ftruncate(fd, 10000));
    for (int i = 0; i < 5; i++)
        is(8, pread(fd, buf, 8, i * 50));
    for (int i = 0; i < 20; i++)
        is(16, pread(fd, buf, 16, i * 64));

    // Thirty-two values are kept apart; what comes later is not among the common ones.
    fd = create("many");
    for (int i = 1; i <= 32; i++)
        is(i, pwrite(fd, buf, i, 0));
    for (int i = 0; i < 9; i++)
        is(33, pwrite(fd, buf, 33, 0));
    is(2, pwrite(fd, buf, 2, 0));
}
