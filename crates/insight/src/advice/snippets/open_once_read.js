const fd = fs.openSync({path}, "r");  // before the loop, not in it
const record = Buffer.allocUnsafe(size);
for (let step = 0; step < steps; step++)
  use(record.subarray(0, fs.readSync(fd, record, 0, size, null)));
fs.closeSync(fd);
