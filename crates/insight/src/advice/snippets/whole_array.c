FILE *file = fopen(path, "wb");
fwrite(buf, sizeof *buf, count, file);  // one call for all, and nothing to format
fclose(file);
