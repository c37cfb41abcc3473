// Static objects of C++ open before main and write when they are destroyed.
// expect: POSIX object: OPENS 1, MODE 0644; w 0 6, w 6 7
// expect: STDIO stream: OPENS 1
// expect: POSIX stream: OPENS 1.., FILENOS 1.., WRITES 1, BYTES_WRITTEN 5, MEM_NOT_ALIGNED *, SEEKS *, STATS *
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

// The directory, where there are no arguments yet.
static std::string folder() {
    std::ifstream arguments("/proc/self/cmdline");
    std::string program, first;
    std::getline(arguments, program, '\0');
    std::getline(arguments, first, '\0');
    return first;
}

struct Object {
    int fd;
    alignas(8) char text[8];
    Object() : fd(open((folder() + "/object").c_str(), O_WRONLY | O_CREAT, 0644)), text("object") {
        if (write(fd, text, 6) != 6)
            abort();
    }
    ~Object() {
        if (write(fd, text, 7) != 7)
            abort();
    }
};

static Object object;
static std::ofstream stream(folder() + "/stream");

int main() {
    stream << "later";
}
