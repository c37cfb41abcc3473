if (rank == 0)
    printf("step %d\n", step);
