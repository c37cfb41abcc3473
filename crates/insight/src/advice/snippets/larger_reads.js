const block = Buffer.allocUnsafe({bytes});
let size;
while ((size = fs.readSync(fd, block, 0, block.length, null)) > 0)
  use(block.subarray(0, size));
