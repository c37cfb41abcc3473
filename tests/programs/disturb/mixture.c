// A little of everything: all kinds of reads and writes, by several threads, with every result checked.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char data[65536];

static void must(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "%s: %s\n", what, strerror(errno));
        exit(1);
    }
}

static void *private_file(void *number) {
    char name[32], line[32];
    snprintf(name, sizeof name, "thread-%ld", (long)number);
    FILE *file = fopen(name, "w+");
    for (int i = 0; i < 2000; i++) fprintf(file, "%d of %ld\n", i, (long)number);
    rewind(file);
    long lines = 0;
    while (fgets(line, sizeof line, file)) lines++;
    fclose(file);
    return (void *)lines;
}

static void descriptors(void) {
    int fd = open("calls", O_RDWR | O_CREAT | O_TRUNC, 0640);
    struct iovec parts[3] = {{data, 100}, {data + 100, 1000}, {data + 1100, 10}};
    must(write(fd, data, sizeof data) == sizeof data, "write");
    must(pwrite(fd, "middle", 6, 777) == 6, "pwrite");
    must(writev(fd, parts, 3) == 1110, "writev");
    must(pwritev(fd, parts, 3, 5000) == 1110, "pwritev");
    must(pwritev2(fd, parts, 3, -1, 0) == 1110, "pwritev2");
    must(lseek(fd, 10, SEEK_SET) == 10, "lseek");
    must(read(fd, data, 4096) == 4096, "read");
    must(readv(fd, parts, 3) == 1110, "readv");
    must(preadv2(fd, parts, 3, 0, 0) == 1110, "preadv2");
    must(ftruncate(fd, 50000) == 0 && posix_fallocate(fd, 0, 60000) == 0, "ftruncate");
    int target = open("target", O_RDWR | O_CREAT | O_APPEND, 0600);
    off_t from = 0;
    must(sendfile(target, fd, &from, 1000) < 0 || from == 1000, "sendfile");
    must(copy_file_range(fd, &from, target, NULL, 100, 0) < 0, "copy_file_range to O_APPEND");
    must(dup2(target, 100) == 100 && write(100, "end", 3) == 3, "dup2");
    char *map = mmap(NULL, 60000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(map != MAP_FAILED, "mmap");
    memset(map + 100, 'm', 100);
    must(msync(map, 60000, MS_SYNC) == 0 && munmap(map, 60000) == 0, "msync");
    struct aiocb control = {.aio_fildes = fd, .aio_buf = data, .aio_nbytes = 300, .aio_offset = 40};
    const struct aiocb *list[] = {&control};
    must(aio_write(&control) == 0 && aio_suspend(list, 1, NULL) == 0, "aio_write");
    must(aio_error(&control) == 0 && aio_return(&control) == 300, "aio_return");
    struct stat status;
    must(fstat(fd, &status) == 0 && stat("calls", &status) == 0, "stat");
    must(rename("calls", "renamed") == 0 && close(fd) == 0 && close(target) == 0, "rename");
    printf("%ld bytes, mode %o\n", (long)status.st_size, status.st_mode);
}

static void streams(void) {
    FILE *file = fopen("streams", "w+");
    int number = 0;
    char word[16] = "", *line = NULL;
    size_t size = 0;
    setvbuf(file, NULL, _IOFBF, 100);
    fprintf(file, "%d %s %5.2f %c\n", 42, "word", 3.14159, 'c');
    fputs("second line\n", file), fputc('x', file), putc('\n', file);
    fwrite(data, 1, 500, file);
    fflush(file), rewind(file);
    must(fscanf(file, "%d %15s", &number, word) == 2, "fscanf");
    must(getline(&line, &size, file) > 0, "getline");
    printf("%d %s %s", number, word, line);
    must(fseeko(file, -500, SEEK_END) == 0 && ftello(file) > 0, "fseeko");
    printf("%zu\n", fread(data, 1, 1000, file));
    must(feof(file) && ungetc('u', file) == 'u' && getc(file) == 'u', "ungetc");
    free(line), fclose(file);
    FILE *memory = fmemopen(data, 100, "w");
    fputs("in memory", memory), fclose(memory);
    FILE *again = freopen("streams", "a", fdopen(dup(1), "w"));
    must(again && fputs("appended\n", again) > 0 && fclose(again) == 0, "freopen");
    dprintf(1, "%s\n", "by dprintf");
    perror("nothing");
}

int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof data; i++) data[i] = 'a' + i % 26;
    errno = 0;
    descriptors();
    errno = 0;
    streams();
    pthread_t threads[8];
    for (long i = 0; i < 8; i++) pthread_create(&threads[i], NULL, private_file, (void *)i);
    for (int i = 0; i < 8; i++) {
        void *lines;
        pthread_join(threads[i], &lines);
        printf("%ld lines\n", (long)lines);
    }
    return 0;
}
