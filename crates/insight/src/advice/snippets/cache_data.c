// Before the loop that uses the file again and again.
FILE *file = fopen({path}, "rb");
fseek(file, 0, SEEK_END);
long size = ftell(file);
rewind(file);
char *whole = malloc(size);
if (fread(whole, 1, size, file) != (size_t)size)
    perror("read");
fclose(file);
for (int epoch = 0; epoch < epochs; epoch++)
    use(whole, size);
free(whole);
