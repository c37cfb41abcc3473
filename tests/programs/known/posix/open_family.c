// Every way to open: one record each, one open each. The mode is that of O_CREAT, before the umask.
// expect: POSIX open: OPENS 1, MODE 0644; w 0 1
// expect: POSIX open64: OPENS 1, MODE 0640; w 0 2
// expect: POSIX openat: OPENS 1, MODE 0600; w 0 3
// expect: POSIX openat64: OPENS 1, MODE 0604; w 0 4
// expect: POSIX folder/below: OPENS 1, MODE 0644; w 0 5
// expect: POSIX creat: OPENS 1, MODE 0620; w 0 6
// expect: POSIX creat64: OPENS 1, MODE 0602; w 0 7
// expect: POSIX folder: OPENS 1
// expect: POSIX absolute: OPENS 1, MODE 0644; w 0 8
// given: there 10
// expect: POSIX there: OPENS 3; r 0 10
#include "../common.h"
#include <sys/stat.h>

static void use(int fd, int bytes) {
    ok(fd);
    is(bytes, write(fd, buf, bytes));
    is(0, close(fd));
}

int main(int argc, char **argv) {
    go(argv);
    int flags = O_WRONLY | O_CREAT | O_EXCL;
    use(open("open", flags, 0644), 1);
    use(open64("open64", flags, 0640), 2);
    use(openat(AT_FDCWD, "openat", flags, 0600), 3);
    use(openat64(AT_FDCWD, "openat64", flags, 0604), 4);
    is(0, mkdir("folder", 0755));
    int folder = ok(open("folder", O_RDONLY | O_DIRECTORY));
    use(openat(folder, "below", flags, 0644), 5);
    use(creat("creat", 0620), 6);
    use(creat64("creat64", 0602), 7);
    char absolute[4096];
    snprintf(absolute, sizeof absolute, "%s/absolute", argv[1]);
    // The directory does not matter for an absolute path.
    use(openat(folder, absolute, flags, 0644), 8);
    is(0, close(folder));
    // Without O_CREAT there is no mode, whatever is in its place.
    int fd = ok(open("there", O_RDONLY, 0777));
    is(10, read(fd, buf, 100));
    is(0, close(fd));
    is(0, close(ok(openat(AT_FDCWD, "there", O_RDWR, 0777))));
    is(0, close(ok(open("there", O_WRONLY))));
}
