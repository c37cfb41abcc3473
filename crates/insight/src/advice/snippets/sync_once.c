for (int step = 0; step < steps; step++)
    fwrite(buf, sizeof *buf, count, file);  // no fflush, no fsync here
fflush(file);
fsync(fileno(file));                        // once, when the checkpoint is complete
