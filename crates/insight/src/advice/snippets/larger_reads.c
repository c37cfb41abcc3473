FILE *file = fopen({path}, "rb");
char *room = malloc({bytes});          // without it, glibc ignores the size
setvbuf(file, room, _IOFBF, {bytes});  // before the first read
while (fread(buf, sizeof *buf, count, file) == (size_t)count)
    compute_with(buf);
fclose(file);
free(room);
