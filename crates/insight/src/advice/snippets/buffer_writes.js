let part = [], size = 0;
for (const record of records) {
  part.push(record);
  size += record.length;
  if (size >= {bytes}) {
    fs.writeSync(fd, part.join(""));  // fd as it is open now; not once for each record
    part = [];
    size = 0;
  }
}
fs.writeSync(fd, part.join(""));
