// A C++ thread cancelled in a read: destructors run while its stack unwinds through the wrapper.
#include <cstdio>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

struct Guard {
    const char *name;
    ~Guard() { std::printf("%s destroyed\n", name); }
};

static int pipes[2];

static void inner() {
    Guard guard{"inner"};
    char byte;
    if (read(pipes[0], &byte, 1) < 0) std::perror("read");
}

static void *outer(void *) {
    Guard guard{"outer"};
    inner();
    return nullptr;
}

int main() {
    if (pipe(pipes)) return 1;
    pthread_t thread;
    pthread_create(&thread, nullptr, outer, nullptr);
    usleep(50000);
    pthread_cancel(thread);
    void *result;
    pthread_join(thread, &result);
    std::puts(result == PTHREAD_CANCELED ? "cancelled" : "ended");
    try {
        throw 5;
    } catch (int number) {
        std::printf("caught %d\n", number);
    }
    return 0;
}
