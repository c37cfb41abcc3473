// C++ streams: text, binary, errors as exceptions, standard streams mixed with C's.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

static std::ofstream global("global");

struct AtEnd {
    ~AtEnd() { global << "written by a static destructor\n"; }
} at_end;

int main() {
    std::string line;
    size_t lines = 0, letters = 0;
    while (std::getline(std::cin, line)) lines++, letters += line.size();
    std::cout << lines << ' ' << letters << std::endl;
    {
        std::ofstream out("text");
        for (int i = 0; i < 10000; i++) out << i << (i % 10 ? " " : "\n");
        std::fstream both("both", std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
        std::vector<char> block(100000, 'b');
        both.write(block.data(), block.size());
        both.seekp(500);
        both << "here";
        both.seekg(498);
        char part[9] = "";
        both.read(part, 8);
        std::cout << part << ' ' << both.tellg() << '\n';
    }
    std::ifstream in("text");
    long sum = 0;
    for (std::istream_iterator<int> it(in), end; it != end; ++it) sum += *it;
    std::cout << sum << '\n';
    std::printf("C in between\n");
    try {
        std::ifstream missing;
        missing.exceptions(std::ios::failbit);
        missing.open("nowhere");
    } catch (const std::ios_base::failure &) {
        std::cerr << "no such file\n";
    }
    std::stringstream copied;
    copied << std::ifstream("text").rdbuf();
    std::cout << copied.str().size() << '\n';
    std::filesystem::copy_file("text", "copied");
    std::filesystem::create_directories("deep/er");
    std::filesystem::rename("copied", "deep/er/moved");
    std::clog << std::filesystem::file_size("deep/er/moved") << std::endl;
    return 0;
}
