ncmpi_put_vara_double_all(ncid, varid, start, extent, buf);  // by every rank
