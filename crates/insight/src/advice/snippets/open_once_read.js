const text = fs.readFileSync({path}, "utf8");  // before the loop, not in it
for (let step = 0; step < steps; step++)
  use(text);
