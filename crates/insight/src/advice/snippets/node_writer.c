MPI_Comm node;
MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
int local, on_node;
MPI_Comm_rank(node, &local);
MPI_Comm_size(node, &on_node);
double *all = local == 0 ? malloc((size_t)on_node * count * sizeof *all) : NULL;
MPI_Gather(buf, count, MPI_DOUBLE, all, count, MPI_DOUBLE, 0, node);
if (local == 0) {  // one writer per node, a file each
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", path, rank);
    FILE *file = fopen(name, mode);  // mode as now
    fwrite(all, sizeof *all, (size_t)on_node * count, file);
    fclose(file);
}
free(all);
MPI_Comm_free(&node);
