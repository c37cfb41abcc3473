if (rank == 0) print '(a, i0)', 'step ', i
