const there = new Set(fs.readdirSync(folder));  // once, not existsSync() for each name
for (const name of names.filter((name) => there.has(name)))
  use(name);
