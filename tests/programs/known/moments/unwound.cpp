// The same in C++: destructors run on the way out.
// expect: POSIX data: OPENS 1, MODE 0644; w 0 5
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2], fd, destroyed;
alignas(8) static char text[8] = "text";

struct Guard {
    ~Guard() {
        destroyed = write(fd, text, 5) == 5;
    }
};

static void *work(void *) {
    Guard guard;
    char byte;
    // Nothing ever comes.
    return read(ends[0], &byte, 1) == 1 ? &fd : nullptr;
}

int main(int, char **argv) {
    fd = chdir(argv[1]) ? -1 : open("data", O_WRONLY | O_CREAT, 0644);
    if (fd == -1 || pipe(ends))
        return 1;
    pthread_t thread;
    void *result;
    pthread_create(&thread, nullptr, work, nullptr);
    usleep(20000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED && destroyed ? 0 : 2;
}
