// Reads so many pieces of 100 bytes at places all over a file.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **words)
{
    FILE *file = count == 3 ? fopen(words[1], "r") : NULL;
    if (!file)
        return 1;
    char piece[100];
    unsigned long place = 1;
    for (long left = atol(words[2]); left > 0; left--) {
        place = place * 6364136223846793005UL + 1442695040888963407UL;
        if (fseek(file, (long)(place >> 33) % 20000000, SEEK_SET) != 0)
            return 1;
        if (fread(piece, sizeof piece, 1, file) != 1)
            return 1;
    }
    return fclose(file) != 0;
}
