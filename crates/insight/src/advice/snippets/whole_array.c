fwrite(buf, sizeof *buf, count, file);  // file as it is open now: one call, nothing to format
