// Writes a table of numbers; the stream gathers lines.
#include <fstream>
#include "common.h"

int main() {
    std::ofstream table("table.txt");
    for (long i = 0, end = scaled(1000000); i < end; i++)
        table << i << '\n';
    return table ? 0 : 1;
}
