// A long stream of writes for a trace: regular or not.
#include "driver.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

// Sizes up to 1 KiB and offsets below 256 MiB: 38 random bits per operation.
enum { SIZE_LIMIT = 1 << 10, OFFSET_LIMIT = 1 << 28 };

void stream_mode(const char *kind, long count) {
    static char buffer[SIZE_LIMIT];
    int fd = open_in(tracked_dir, "stream"), plain = !strcmp(kind, "write"),
        varied = !strcmp(kind, "varied");
    uint64_t state = 0x106;
    int64_t begin = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (long i = 0; i < count; i++) {
        uint64_t random = varied ? next_random(&state) : 0;
        long size = varied ? 1 + random % SIZE_LIMIT : 64;
        long offset = varied ? (long)(random >> 10) % OFFSET_LIMIT : i * 64;
        ssize_t done = plain ? write(fd, buffer, size) : pwrite(fd, buffer, size, offset);
        check(done == size, "stream");
    }
    int64_t end = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
    close(fd);
    // Until here the program worked; what it uses from now on is its exit.
    printf("loop\t%lld\nuntil exit\t%lld\n", (long long)(end - begin),
           (long long)cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
}
