// Writes a table of numbers, and every line by itself: std::endl flushes.
#include <fstream>
#include "common.h"

int main() {
    std::ofstream table("table.txt");
    for (long i = 0, end = scaled(1000000); i < end; i++)
        table << i << std::endl;
    return table ? 0 : 1;
}
