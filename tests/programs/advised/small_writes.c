// Writes so many pieces of 64 bytes to a file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words)
{
    FILE *file = count == 3 ? fopen(words[1], "w") : NULL;
    if (!file)
        return 1;
    char piece[64];
    memset(piece, 'x', sizeof piece);
    for (long left = atol(words[2]); left > 0; left--)
        if (fwrite(piece, sizeof piece, 1, file) != 1)
            return 1;
    return fclose(file) != 0;
}
