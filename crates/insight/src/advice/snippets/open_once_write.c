FILE *file = fopen({path}, "ab");  // before the loop, not in it
for (int step = 0; step < steps; step++)
    fwrite(buf, sizeof *buf, count, file);
fclose(file);
