ncmpi_get_vara_double_all(ncid, varid, start, extent, buf);  // by every rank
