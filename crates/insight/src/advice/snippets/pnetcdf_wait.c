int *requests = malloc(nvars * sizeof *requests), *statuses = malloc(nvars * sizeof *statuses);
for (int i = 0; i < nvars; i++)
    ncmpi_iput_vara_double(ncid, varids[i], start, extent, bufs[i], &requests[i]);
ncmpi_wait_all(ncid, nvars, requests, statuses);  // one collective write for all
free(requests);
free(statuses);
