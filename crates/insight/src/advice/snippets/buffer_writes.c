// mode: as the program opens it now; "ab" appends, "r+b" keeps what is there.
FILE *file = fopen({path}, mode);
char *room = malloc({bytes});          // without it, glibc ignores the size
setvbuf(file, room, _IOFBF, {bytes});  // before the first write
for (int i = 0; i < count; i++)
    fwrite(&buf[i], sizeof buf[i], 1, file);
fclose(file);
free(room);
