// Looks up every record of a table by its number: a seek before each read.
#include <stdint.h>
#include "common.h"

int main(void) {
    FILE *table = fopen("table.bin", "rb");
    need(table != NULL, "table.bin");
    uint64_t record[2], sum = 0;
    for (long i = 0, end = scaled(64000000) / 16; i < end; i++) {
        need(fseek(table, i * (long)sizeof record, SEEK_SET) == 0, "fseek");
        need(fread(record, sizeof record, 1, table) == 1, "fread");
        sum += record[0] ^ record[1];
    }
    printf("%llu\n", (unsigned long long)sum);
    return fclose(table);
}
