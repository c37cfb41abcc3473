// One file for all data, one that says where each piece is.
FILE *all = fopen("data.bin", "wb"), *index = fopen("data.index", "w");
for (int i = 0; i < pieces; i++) {
    fprintf(index, "%s %ld %zu\n", names[i], ftell(all), sizes[i]);
    fwrite(contents[i], 1, sizes[i], all);
}
fclose(index);
fclose(all);
