// C++'s file system library and seeking in streams.
// given: data 3000
// expect: POSIX data: OPENS 1.., STATS *, SEEKS *, FILENOS *, READS 1.., BYTES_READ 3000.., WRITES 1.., BYTES_WRITTEN 5,
//     MEM_NOT_ALIGNED *
// expect: STDIO data: OPENS 1
// expect: POSIX copy: OPENS 1, MODE *, STATS *, WRITES 1.., BYTES_WRITTEN 3000, RENAME_SOURCES 1
// expect: POSIX moved: RENAME_TARGETS 1, RENAMED_FROM id(copy), STATS *
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace fs = std::filesystem;

int main(int, char **argv) {
    fs::current_path(argv[1]);
    fs::copy_file("data", "copy");
    fs::rename("copy", "moved");
    if (fs::file_size("moved") != 3000 || !fs::exists("data"))
        return 1;
    std::fstream both("data", std::ios::in | std::ios::out | std::ios::binary);
    both.seekp(100);
    both.write("12345", 5);
    both.flush();
    both.seekg(100);
    char back[5];
    both.read(back, 5);
    return both.gcount() == 5 && back[4] == '5' ? 0 : 2;
}
