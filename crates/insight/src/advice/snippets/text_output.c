// mode: as the program opens it now; "a" appends, "r+" keeps what is there.
FILE *file = fopen({path}, mode);
char *room = malloc(1 << 20);          // without it, glibc ignores the size
setvbuf(file, room, _IOFBF, 1 << 20);  // before the first write
for (int step = 0; step < steps; step++) {
    for (int i = 0; i < count; i++)
        fprintf(file, "%d %.9g\n", i, buf[i]);
    fflush(file);                      // once per step, if someone looks on
}
fclose(file);
free(room);
