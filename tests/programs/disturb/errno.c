// Prints the result and errno of calls that fail and of calls that succeed. A success leaves errno
// alone, mostly; whatever it is, it must be the same when recorded.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRY(call)                                                    \
    do {                                                             \
        errno = 1234;                                                \
        long result = (long)(call);                                  \
        int after = errno;                                           \
        printf("%-60s %4ld %4d\n", #call, result, after);            \
    } while (0)
#define TRY_POINTER(call) TRY((call) != NULL)

static char data[100000];
static char *volatile nowhere = (char *)16;
static char *volatile null = NULL;
static volatile int negative = -1, too_many = 2000;

int main(void) {
    struct stat status;
    struct iovec good[2] = {{data, 10}, {data, 20}}, bad[1] = {{(void *)16, 10}};
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    if (symlink("loop", "loop")) return 1;
    int pipes[2], fd = open("file", O_RDWR | O_CREAT, 0644);
    int reader = open("words", O_RDONLY);
    if (pipe(pipes) || fd < 0) return 1;

    TRY(open("nowhere", O_RDONLY));
    TRY(open("nowhere/below", O_RDONLY));
    TRY(open("words/below", O_RDONLY));
    TRY(open("tree", O_WRONLY));
    TRY(open("words", O_RDWR | O_CREAT | O_EXCL, 0600));
    TRY(open("loop", O_RDONLY));
    TRY(open("", O_RDONLY));
    TRY(open(longest, O_RDONLY));
    TRY(open(nowhere, O_RDONLY));
    TRY(open(null, O_RDONLY));
    TRY(openat(fd, "relative", O_RDONLY));
    TRY(openat(999, "relative", O_RDONLY));
    TRY(openat(AT_FDCWD, "words", O_DIRECTORY));
    TRY(creat("tree", 0600));
    TRY(read(999, data, 10));
    TRY(read(-1, data, 10));
    TRY(read(fd, nowhere, 10));
    TRY(read(reader, nowhere, 10));
    TRY(write(reader, data, 10));
    TRY(write(fd, nowhere, 10));
    TRY(pread(pipes[0], data, 1, 0));
    TRY(pwrite(fd, data, 1, -1));
    TRY(readv(reader, bad, 1));
    TRY(writev(fd, good, negative));
    TRY(preadv(reader, good, too_many, 0));
    TRY(pwritev2(fd, good, 2, 0, 0x7f000000));
    TRY(lseek(pipes[0], 0, SEEK_SET));
    TRY(lseek(fd, -5, SEEK_SET));
    TRY(lseek(fd, 0, 99));
    TRY(close(999));
    TRY(close(-1));
    TRY(dup(999));
    TRY(dup2(999, 50));
    TRY(dup2(fd, -1));
    TRY(dup3(fd, fd, 0));
    TRY(fcntl(fd, F_DUPFD, -1));
    TRY(fcntl(999, F_GETFD));
    TRY(fsync(pipes[0]));
    TRY(fdatasync(999));
    TRY(ftruncate(reader, 0));
    TRY(ftruncate(fd, -1));
    TRY(fallocate(reader, 0, 0, 10));
    TRY(stat("nowhere", &status));
    TRY(stat(null, &status));
    TRY(lstat("nowhere", &status));
    TRY(fstat(999, &status));
    TRY(fstatat(AT_FDCWD, "nowhere", &status, 0));
    TRY(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
    TRY(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, reader, 0) == MAP_FAILED);
    TRY(mmap(NULL, 4096, PROT_READ, MAP_SHARED, 999, 0) == MAP_FAILED);
    TRY(rename("nowhere", "elsewhere"));
    TRY(rename("words", "tree"));
    TRY(rename(nowhere, "elsewhere"));
    TRY(rename("words", nowhere));
    TRY(rename(null, "elsewhere"));
    TRY(unlink("nowhere"));
    TRY(mkdir("tree", 0777));
    TRY(rmdir("tree"));
    TRY(sendfile(fd, 999, NULL, 10));
    TRY(copy_file_range(reader, NULL, pipes[1], NULL, 10, 0));
    TRY(splice(reader, NULL, fd, NULL, 10, 0));
    TRY_POINTER(fopen("nowhere", "r"));
    TRY_POINTER(fopen("words", "nonsense"));
    TRY_POINTER(fdopen(999, "r"));
    TRY_POINTER(freopen("nowhere", "r", stdin));
    TRY_POINTER(tmpfile());

    FILE *only_read = fopen("words", "r"), *only_write = fopen("out", "w");
    TRY(fwrite(data, 1, 10, only_read));
    TRY(fputs("x", only_read));
    TRY(fread(data, 1, 10, only_write));
    TRY(fgetc(only_write));
    TRY(fseek(only_read, -1, SEEK_SET));
    TRY(fprintf(only_read, "%d", 5));
    TRY(fflush(only_write));

    TRY(open("file", O_RDONLY) >= 0);
    TRY(open(".", O_TMPFILE | O_RDWR, 0640) >= 0);
    TRY(write(fd, data, 100));
    TRY(write(fd, data, 0));
    TRY(pwrite(fd, data, 50, 10));
    TRY(writev(fd, good, 2));
    TRY(lseek(fd, 0, SEEK_END));
    TRY(read(fd, data, 10));
    TRY(read(reader, data, 10));
    TRY(pread(reader, data, 10, 1000000));
    TRY(dup(fd) >= 0);
    TRY(fcntl(fd, F_GETFL) >= 0);
    TRY(fsync(fd));
    TRY(stat("file", &status));
    TRY(fstat(fd, &status));
    TRY(fseek(only_read, 0, SEEK_END));
    TRY(fgetc(only_read));
    TRY(fputs("hello", only_write) >= 0);
    TRY(fprintf(only_write, "%d %s", 7, "seven"));
    TRY(fclose(only_write));
    TRY(sendfile(fd, reader, NULL, 10));
    TRY(rename("file", "renamed"));
    TRY(unlink("loop"));
    TRY(close(fd));
    return 0;
}
