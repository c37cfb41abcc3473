// One file for all data, one that says where each piece is; x: neither must be there before.
FILE *all = fopen("data.bin", "wbx"), *index = fopen("data.index", "wx");
for (int i = 0; all && index && i < pieces; i++) {
    fprintf(index, "%s %ld %zu\n", names[i], ftell(all), sizes[i]);
    fwrite(contents[i], 1, sizes[i], all);
}
if (!index || fclose(index) || !all || fclose(all))
    perror("data.bin");
