const fd = fs.openSync({path}, "a");  // before the loop: appendFileSync opens it each time
for (const record of records)
  fs.writeSync(fd, record);
fs.closeSync(fd);
