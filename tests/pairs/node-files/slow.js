// Writes every result to a file of its own.
const fs = require("fs");

const results = Math.max(1, Math.floor(10000 / (process.env.PAIR_SCALE || 1)));
fs.mkdirSync("results");
for (let i = 0; i < results; i++) {
  const name = String(i).padStart(6, "0");
  fs.writeFileSync(`results/${name}.json`, JSON.stringify({ id: i, value: i * i }) + "\n");
}
