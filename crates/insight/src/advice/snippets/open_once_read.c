FILE *file = fopen({path}, "rb");  // before the loop, not in it
for (int step = 0; step < steps; step++)
    if (fread(buf, sizeof *buf, count, file) == (size_t)count)
        compute_with(buf);
fclose(file);
