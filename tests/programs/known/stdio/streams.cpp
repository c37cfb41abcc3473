// C++ streams: opened by the C library, written through the descriptor.
// expect: STDIO data: OPENS 3
// expect: POSIX data: OPENS 1.., FILENOS 1.., WRITES 1.., BYTES_WRITTEN 100000, READS 1.., BYTES_READ 100000,
//     SEEKS *, STATS *, MEM_NOT_ALIGNED *, MAX_BYTE_WRITTEN 99999, MAX_BYTE_READ 99999
// stdout: out
// expect: STDIO <STDOUT>: OPENS 1, WRITES 1.., BYTES_WRITTEN 12, FLUSHES *
#include <fstream>
#include <iostream>
#include <string>
#include <unistd.h>

int main(int, char **argv) {
    if (chdir(argv[1]))
        return 1;
    {
        std::ofstream out("data");
        for (int i = 0; i < 10000; i++)
            out << "some text\n";
    }
    std::string line;
    int lines = 0;
    std::ifstream in("data");
    while (std::getline(in, line))
        lines++;
    if (lines != 10000)
        return 2;
    std::fstream both("data");
    both.close();
    std::cout << "hello, world" << std::flush;
    return 0;
}
