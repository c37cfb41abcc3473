for (const record of records)
  fs.writeSync(fd, record);  // no fsyncSync here
fs.fsyncSync(fd);            // once, when the checkpoint is complete
